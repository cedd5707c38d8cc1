import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Com’è andata questa conversazione?",
  score1: "Molto male",
  score2: "Male",
  score3: "Così così",
  score4: "Bene",
  score5: "Molto bene",
  comment: "Qual è il motivo? (facoltativo)",
  given: "La tua valutazione: {score} su 5",
  change: "Cambia la valutazione",
  hide: "Nascondi",
};
