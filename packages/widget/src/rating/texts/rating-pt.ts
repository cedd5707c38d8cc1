import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Como foi esta conversa?",
  score1: "Muito ruim",
  score2: "Ruim",
  score3: "Razoável",
  score4: "Boa",
  score5: "Muito boa",
  comment: "Qual é o motivo? (opcional)",
  given: "Sua avaliação: {score} de 5",
  change: "Alterar a avaliação",
  hide: "Ocultar",
};
