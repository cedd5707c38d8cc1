import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Comment s’est passée cette conversation ?",
  score1: "Très mal",
  score2: "Mal",
  score3: "Correct",
  score4: "Bien",
  score5: "Très bien",
  comment: "Pour quelle raison ? (facultatif)",
  given: "Votre note : {score} sur 5",
  change: "Modifier la note",
  hide: "Masquer",
};
