import type { RatingTexts } from "./rating-en.ts";

export const texts: RatingTexts = {
  question: "您对这次对话满意吗？",
  score1: "非常差",
  score2: "差",
  score3: "一般",
  score4: "好",
  score5: "非常好",
  comment: "原因是什么？（可选）",
  given: "您的评分：{score} 分（满分 5 分）",
  change: "修改评分",
  hide: "隐藏",
};
