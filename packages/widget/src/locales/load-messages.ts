import type { LocaleId } from "./choose-locale.ts";
import { en, type Messages } from "./en.ts";

/**
 * Only the needed language is loaded. English is always included and is the fallback when a language cannot be loaded.
 */
const others: Record<Exclude<LocaleId, "en">, () => Promise<Messages>> = {
  de: async () => (await import("./de.ts")).de,
  fr: async () => (await import("./fr.ts")).fr,
  es: async () => (await import("./es.ts")).es,
  it: async () => (await import("./it.ts")).it,
  pt: async () => (await import("./pt.ts")).pt,
  nl: async () => (await import("./nl.ts")).nl,
  pl: async () => (await import("./pl.ts")).pl,
  tr: async () => (await import("./tr.ts")).tr,
  ar: async () => (await import("./ar.ts")).ar,
  ja: async () => (await import("./ja.ts")).ja,
  zh: async () => (await import("./zh.ts")).zh,
};

export function loadMessages(locale: LocaleId): Promise<Messages> {
  return locale === "en" ? Promise.resolve(en) : others[locale]().catch(() => en);
}

/** Replaces placeholders such as `{name}` with values. */
export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
