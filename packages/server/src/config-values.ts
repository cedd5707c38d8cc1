import { readFileSync } from "node:fs";
import { HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import ipaddr from "ipaddr.js";

/** An invalid configuration. The message is written for the operator and can be shown as it is. */
export class ConfigError extends Error {}

/** Collects all problems, so that a single start reports every one of them. */
export class Problems {
  readonly #lines: string[] = [];

  add(name: string, expected: string, found: string | undefined): void {
    this.#lines.push(
      `${name}: expected ${expected}, found ${found === undefined ? "nothing" : quoteValue(name, found)}.`,
    );
  }

  throwIfAny(): void {
    if (this.#lines.length > 0) throw new ConfigError(`The configuration is invalid.\n  ${this.#lines.join("\n  ")}`);
  }
}

/**
 * Parses a variable, or returns the fallback when it is missing or empty. A parser throws an Error that says what it
 * expects.
 */
export function read<T>(
  environment: Record<string, string | undefined>,
  problems: Problems,
  { name, parse, fallback }: { name: string; parse: (value: string) => T; fallback: T },
): T {
  const value = environment[name]?.trim();
  if (!value) return fallback;
  try {
    return parse(value);
  } catch (error) {
    problems.add(name, error instanceof Error ? error.message : String(error), value);
    return fallback;
  }
}

/** Hides the values of secrets in the terminal and the log. */
function quoteValue(name: string, value: string) {
  if (/SECRET|PASSWORD|KEY|TOKEN|DATABASE_URL|SMTP_URL/.test(name)) return `${value.length} characters`;
  return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value);
}

export const text = (value: string): string => value;

export const list = (value: string): string[] =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

export function int(minimum: number, maximum: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`a whole number from ${minimum} to ${maximum}`);
    }
    return number;
  };
}

export function oneOf<const T extends readonly string[]>(values: T) {
  return (value: string): T[number] => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new Error(`one of ${values.join(", ")}`);
    return found;
  };
}

const unitMs = { ms: 1, s: 1_000, m: MINUTE_MS, h: HOUR_MS } as const;

/** `500ms`, `30s`, `5m`, `2h` → milliseconds. */
export function parseDuration(value: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value);
  const unit = match?.[2] as keyof typeof unitMs | undefined;
  if (!unit) throw new Error("a duration such as 500ms, 30s, 5m or 2h");
  return Math.round(Number(match?.[1]) * unitMs[unit]);
}

/** One or more durations in milliseconds, separated by commas. */
export function parseDurations(value: string): number[] {
  const items = list(value);
  if (items.length === 0 || items.length > 20) throw new Error("1 to 20 durations such as 0s,1m,5m");
  return items.map(parseDuration);
}

/** A name or an address to listen on. IPv6 addresses may be in brackets, as in URLs. */
export function parseHost(value: string): string {
  return value.replace(/^\[(.*)\]$/, "$1");
}

/** Reads certificates in PEM format from the file at this path. */
export function readCertificates(path: string): string {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`the path of a readable file (${(error as NodeJS.ErrnoException).code})`);
  }
  if (!content.includes("-----BEGIN CERTIFICATE-----")) throw new Error("the path of certificates in PEM format");
  return content;
}

export function parseUrl(value: string): string {
  const parsed = URL.parse(value);
  if (
    (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") ||
    parsed.username ||
    parsed.search ||
    parsed.hash
  ) {
    throw new Error("an address such as https://chat.example.com");
  }
  return value;
}

/** The public address. Below a path, the path is part of links, cookies and redirects, so its characters are limited. */
export function parseBaseUrl(value: string): string {
  const { pathname } = new URL(parseUrl(value));
  if (!/^(?:\/[\w.~-]+)*\/*$/.test(pathname)) {
    throw new Error("an address such as https://chat.example.com or https://example.com/support");
  }
  return value.replace(/\/+$/, "");
}

/** An email address in lower case. Follows better-auth's rules, so that every account can be used to sign in. */
export function parseEmail(value: string): string {
  const isAddress = /^[A-Za-z0-9_'+.-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(value);
  if (!isAddress || value.length > 254 || /^\.|\.\./.test(value)) throw new Error("an address such as you@example.com");
  return value.toLowerCase();
}

export function parseCidrs(value: string): string[] {
  const items = list(value);
  if (!items.every((item) => (item.includes("/") ? ipaddr.isValidCIDR(item) : ipaddr.isValid(item)))) {
    throw new Error("addresses or ranges such as 10.0.0.0/8, 127.0.0.1");
  }
  return items;
}
