import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Hoe was dit gesprek?",
  score1: "Heel slecht",
  score2: "Slecht",
  score3: "Redelijk",
  score4: "Goed",
  score5: "Heel goed",
  comment: "Wat is de reden? (optioneel)",
  given: "Je beoordeling: {score} van 5",
  change: "Beoordeling wijzigen",
  hide: "Verbergen",
};
