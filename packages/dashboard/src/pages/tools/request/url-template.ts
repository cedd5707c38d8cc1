/** A piece of an address: as it is, an input's `{city}`, or a secret's `{{API_KEY}}`. */
export type UrlPiece = { kind: "text" | "input" | "secret"; text: string; name: string };

/** The server's own reading of an http tool's address. */
const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}|\{([\p{L}\p{N}_$.-]+)\}/gu;

export function piecesOf(url: string): UrlPiece[] {
  const pieces: UrlPiece[] = [];
  let done = 0;
  for (const match of url.matchAll(placeholder)) {
    const [text, secret, input] = match;
    if (match.index > done) pieces.push({ kind: "text", text: url.slice(done, match.index), name: "" });
    pieces.push({ kind: secret === undefined ? "input" : "secret", text, name: secret ?? input ?? "" });
    done = match.index + text.length;
  }
  if (done < url.length) pieces.push({ kind: "text", text: url.slice(done), name: "" });
  return pieces;
}

/** The names of secrets in texts of a tool, each once. */
export function secretsIn(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g)]);
  return [...new Set(found.map(([, name = ""]) => name))];
}

/** The inputs that an address names, each once. */
export function inputsIn(url: string): string[] {
  const names = piecesOf(url).filter(({ kind }) => kind === "input");
  return [...new Set(names.map(({ name }) => name))];
}

/** The host with its port, in the form that the list of a secret's hosts uses; "" while the address has no host. */
export function hostOf(url: string): string {
  const [base = ""] = /^https?:\/\/[^/?#]+/i.exec(url.trim()) ?? [];
  return URL.canParse(base) ? new URL(base).host : "";
}
