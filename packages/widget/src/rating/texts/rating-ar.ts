import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "كيف كانت هذه المحادثة؟",
  score1: "سيئة جدًا",
  score2: "سيئة",
  score3: "مقبولة",
  score4: "جيدة",
  score5: "جيدة جدًا",
  comment: "ما السبب؟ (اختياري)",
  given: "تقييمك: {score} من 5",
  change: "تغيير التقييم",
  hide: "إخفاء",
};
