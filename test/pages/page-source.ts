import { scriptTag } from "./host-site.ts";

/** What differs between pages. `around` puts the contents into what the library needs; `body` is its attributes. */
export type Parts = { head?: string; tag?: string; end?: string; around?: (contents: string) => string; body?: string };

const paragraphs = Array.from(
  { length: 60 },
  (_, index) => `<p>Bike ${index + 1} is a city bike with eight gears and a dynamo.</p>`,
).join("");

/** The contents that every host page has, so that the same steps work on each: a link on `/`, a field on `/bikes`. */
export const contents: Record<string, string> = {
  "/": `<h1>Harbour</h1><p><a id="next" href="/bikes">Bikes</a></p>${paragraphs}`,
  "/bikes": `<h1>Bikes</h1><p><a id="home" href="/">Home</a></p><p><label>Name <input id="name"></label></p>${paragraphs}`,
};

/** @returns the page at a path, with the widget's tag in its head; nothing for other paths */
export function renderPage(path: string, parts: Parts): string | undefined {
  const main = contents[path];
  if (main === undefined) return undefined;
  const { head = "", tag = scriptTag, end = "", around = (main: string) => `<main>${main}</main>`, body = "" } = parts;
  const title = path === "/" ? "Harbour" : "Bikes";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>${head}${tag}</head><body${body}>${around(main)}${end}</body></html>`;
}
