/** A piece of a URL: literal text, an input's `{city}`, or a secret's `{{API_KEY}}`. */
export type UrlPiece = { kind: "text" | "input" | "secret"; text: string; name: string };

/** A secret's `{{NAME}}` (group 1) or an input's `{name}` (group 2) in the URL of an HTTP tool. */
export const urlPlaceholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{([\p{L}\p{N}_$.-]+)\}/gu;

/** A secret's `{{NAME}}` (group 1) in a header, where inputs have no placeholders. */
export const secretPlaceholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;

export function piecesOf(url: string): UrlPiece[] {
  const pieces: UrlPiece[] = [];
  let done = 0;
  for (const match of url.matchAll(urlPlaceholder)) {
    const [text, secret, input] = match;
    if (match.index > done) pieces.push({ kind: "text", text: url.slice(done, match.index), name: "" });
    pieces.push({ kind: secret === undefined ? "input" : "secret", text, name: secret ?? input ?? "" });
    done = match.index + text.length;
  }
  if (done < url.length) pieces.push({ kind: "text", text: url.slice(done), name: "" });
  return pieces;
}

/** The distinct names of the secrets in URLs and headers. */
export function secretsIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(secretPlaceholder)]);
  return [...new Set(found.map(([, name = ""]) => name))];
}

/** The distinct names of the inputs in a URL. */
export function inputsIn(url: string): string[] {
  const names = piecesOf(url).filter(({ kind }) => kind === "input");
  return [...new Set(names.map(({ name }) => name))];
}

/** The host with its port, as in a secret's list of hosts; "" while the URL has no host. */
export function hostOf(url: string): string {
  const [base = ""] = /^https?:\/\/[^/?#]+/i.exec(url.trim()) ?? [];
  return URL.canParse(base) ? new URL(base).host : "";
}
