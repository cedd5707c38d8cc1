import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "Bu görüşme nasıldı?",
  score1: "Çok kötü",
  score2: "Kötü",
  score3: "İdare eder",
  score4: "İyi",
  score5: "Çok iyi",
  comment: "Nedeni nedir? (isteğe bağlı)",
  given: "Puanınız: 5 üzerinden {score}",
  change: "Puanı değiştir",
  hide: "Gizle",
};
