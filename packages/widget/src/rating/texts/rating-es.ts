import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "¿Qué te ha parecido esta conversación?",
  score1: "Muy mala",
  score2: "Mala",
  score3: "Aceptable",
  score4: "Buena",
  score5: "Muy buena",
  comment: "¿Cuál es el motivo? (opcional)",
  given: "Tu valoración: {score} de 5",
  change: "Cambiar la valoración",
  hide: "Ocultar",
};
