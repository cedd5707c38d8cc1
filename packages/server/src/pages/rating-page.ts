import { maxRatingCommentLength } from "@foyer/contract/rules/limits";
import type { RatingTexts } from "../conversations/rating-texts.ts";
import { escapeHtml } from "../escape-html.ts";

/** The language of a page about a rating, and its texts. */
export type PageLanguage = { language: string; texts: RatingTexts };

type RatingForm = {
  siteName: string;
  question: string;
  /** the number that is chosen already */
  score: number | null;
  comment: string;
  /** why the form was not saved */
  problem: string | null;
};

const scores = [1, 2, 3, 4, 5] as const;

/** The text of a number, such as "Very good". */
const labelOf = (texts: RatingTexts, score: number) => texts[`score${score}` as "score1"];

export const describeRating = (texts: RatingTexts, score: number): string =>
  `${texts.given.replace("{score}", String(score))} (${labelOf(texts, score)})`;

export function renderRatingForm(shown: PageLanguage, form: RatingForm): string {
  const { texts } = shown;
  const choices = scores.map((score) => {
    const label = escapeHtml(labelOf(texts, score));
    const checked = score === form.score ? " checked" : "";
    return `<label title="${label}"><input type="radio" name="score" value="${score}" aria-label="${score}, ${label}" required${checked}><span>${score}</span></label>`;
  });
  const problem = form.problem === null ? "" : `<p class="failure" role="alert">${escapeHtml(form.problem)}</p>`;
  // The line break at the beginning of a text area's content is ignored.
  return renderPage(shown, {
    ...form,
    title: form.question,
    body: `${problem}
<form method="post">
<fieldset aria-labelledby="title">
<div class="scores">${choices.join("\n")}</div>
<div class="ends" aria-hidden="true"><span>${escapeHtml(texts.score1)}</span><span>${escapeHtml(texts.score5)}</span></div>
</fieldset>
<label for="comment">${escapeHtml(texts.comment)}</label>
<textarea id="comment" name="comment" rows="4" maxlength="${maxRatingCommentLength}" dir="auto" autocomplete="off">
${escapeHtml(form.comment)}</textarea>
<button type="submit" class="main-action">${escapeHtml(texts.send)}</button>
</form>`,
  });
}

/** @param address the page's own address, where the rating can be changed */
export function renderThanks(
  shown: PageLanguage,
  { siteName, score, address }: { siteName: string; score: number; address: string },
): string {
  const { texts } = shown;
  const body = `<p>${escapeHtml(describeRating(texts, score))}</p>
<p><a href="${escapeHtml(address)}">${escapeHtml(texts.change)}</a></p>`;
  return renderPage(shown, { siteName, title: texts.thanks, body });
}

/** Says why the conversation cannot be rated. */
export function renderRefusal(shown: PageLanguage, { title, text }: { title: string; text: string }): string {
  return renderPage(shown, { siteName: null, title, body: `<p>${escapeHtml(text)}</p>` });
}

function renderPage(
  { language }: PageLanguage,
  { siteName, title, body }: { siteName: string | null; title: string; body: string },
): string {
  const name = siteName === null ? null : escapeHtml(siteName);
  const bar = `<header class="bar"><span class="lamp lit" aria-hidden="true"></span><p class="brand"><bdi>${name}</bdi></p></header>`;
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${language === "ar" ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}${name === null ? "" : ` – ${name}`}</title>
<link rel="icon" href="/pages/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/pages/page.css">
<link rel="stylesheet" href="/pages/rating.css">
</head>
<body>
${name === null ? "" : bar}
<main class="sheet">
<h1 id="title" dir="auto">${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>`;
}
