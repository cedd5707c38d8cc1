import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "この会話はいかがでしたか？",
  score1: "とても悪い",
  score2: "悪い",
  score3: "普通",
  score4: "良い",
  score5: "とても良い",
  comment: "理由をお聞かせください（任意）",
  given: "あなたの評価：5段階中{score}",
  change: "評価を変更",
  hide: "表示しない",
};
