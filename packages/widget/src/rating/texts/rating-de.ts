import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Wie war dieses Gespräch?",
  score1: "Sehr schlecht",
  score2: "Schlecht",
  score3: "In Ordnung",
  score4: "Gut",
  score5: "Sehr gut",
  comment: "Was ist der Grund? (optional)",
  given: "Ihre Bewertung: {score} von 5",
  change: "Bewertung ändern",
  hide: "Ausblenden",
};
