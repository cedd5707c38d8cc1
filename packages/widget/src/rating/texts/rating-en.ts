/** The texts about the rating of a whole conversation. `interpolate` replaces placeholders such as `{score}`. */
export const texts = {
  question: "How was this conversation?",
  score1: "Very bad",
  score2: "Bad",
  score3: "Okay",
  score4: "Good",
  score5: "Very good",
  comment: "What is the reason? (optional)",
  given: "Your rating: {score} of 5",
  change: "Change rating",
  hide: "Hide",
};

export type RatingTexts = { readonly [Key in keyof typeof texts]: string };
