/**
 * The Content-Security-Policy of a page without scripts, whose form sends to this server. `formTargets` lists further
 * origins to which the response to the form may redirect. The logo in the style sheet is a `data:` image.
 */
export const createFormPagePolicy = (...formTargets: string[]): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    ["form-action 'self'", ...formTargets].join(" "),
    "frame-ancestors 'none'",
  ].join("; ");
