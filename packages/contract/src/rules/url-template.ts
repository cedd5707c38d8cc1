import { normalizeFactPath } from "./visitor-facts.ts";

/** A piece of a URL: literal text, an input's `{city}`, a secret's `{{API_KEY}}`, or a bound `{{visitor.id}}`. */
export type UrlPiece = { kind: "text" | "input" | "secret" | "bound"; text: string; name: string };

/** The values that the server fills in and the model cannot choose. `visitor.claims.<path>` names any claim. */
export const boundNames = [
  "visitor.id",
  "visitor.email",
  "visitor.name",
  "visitor.claims.",
  "conversation.id",
  "page.url",
] as const;

/**
 * In the URL or body of an HTTP tool: a secret's `{{NAME}}` or a bound `{{visitor.id}}` (group 1), or an input's
 * `{name}` (group 2). Only bound names contain a dot, and no input can take their place.
 */
export const urlPlaceholder =
  /\{\{\s*([A-Za-z_][A-Za-z0-9_]*|(?:visitor|conversation|page)\.[^\s{}]+)\s*\}\}|\{([\p{L}\p{N}_$.-]+)\}/gu;

/** `{{NAME}}` or `{{visitor.id}}` (group 1) in a header, where inputs have no placeholders. */
export const headerPlaceholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*|(?:visitor|conversation|page)\.[^\s{}]+)\s*\}\}/gu;

/** Whether a placeholder names a bound value, known or not. */
export const isBound = (name: string): boolean => name.includes(".");

/** Whether an input may not have this name, because it reads like a bound value that the server fills in. */
export const isReservedInput = (name: string): boolean => /^(visitor|conversation|page)\./.test(name);

/** Whether the server knows a bound name. */
export function isKnownBound(name: string): boolean {
  if (!name.startsWith("visitor.")) return name === "conversation.id" || name === "page.url";
  const path = name.slice("visitor.".length);
  return normalizeFactPath(path) === path;
}

export function splitTemplate(url: string): UrlPiece[] {
  const pieces: UrlPiece[] = [];
  let done = 0;
  for (const match of url.matchAll(urlPlaceholder)) {
    const [text, secret, input] = match;
    if (match.index > done) pieces.push({ kind: "text", text: url.slice(done, match.index), name: "" });
    pieces.push({ kind: placeholderKind(secret), text, name: secret ?? input ?? "" });
    done = match.index + text.length;
  }
  if (done < url.length) pieces.push({ kind: "text", text: url.slice(done), name: "" });
  return pieces;
}

function placeholderKind(name: string | undefined): UrlPiece["kind"] {
  if (name === undefined) return "input";
  return isBound(name) ? "bound" : "secret";
}

/** The distinct names in double braces, of both secrets and bound values. */
export function findPlaceholderNames(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(headerPlaceholder)]);
  return [...new Set(found.map(([, name = ""]) => name))];
}

/** The distinct names of the secrets in the URL, headers and body of a tool. */
export function findSecretNames(texts: readonly string[]): string[] {
  return findPlaceholderNames(texts).filter((name) => !isBound(name));
}

/** The distinct names of the bound values in the URL, headers and body of a tool. */
export function boundIn(texts: readonly string[]): string[] {
  return findPlaceholderNames(texts).filter(isBound);
}

/** The distinct names of the inputs in a URL. */
export function findInputNames(url: string): string[] {
  const names = splitTemplate(url).filter(({ kind }) => kind === "input");
  return [...new Set(names.map(({ name }) => name))];
}

/** The host with its port, as in a secret's list of hosts; "" while the URL has no host. */
export function readHost(url: string): string {
  const [base = ""] = /^https?:\/\/[^/?#]+/i.exec(url.trim()) ?? [];
  return URL.canParse(base) ? new URL(base).host : "";
}
