import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Jak oceniasz tę rozmowę?",
  score1: "Bardzo źle",
  score2: "Źle",
  score3: "Przeciętnie",
  score4: "Dobrze",
  score5: "Bardzo dobrze",
  comment: "Jaki jest powód? (opcjonalnie)",
  given: "Twoja ocena: {score} z 5",
  change: "Zmień ocenę",
  hide: "Ukryj",
};
