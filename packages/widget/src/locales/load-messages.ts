import type { LocaleId } from "./choose-locale.ts";
import { en, type Words } from "./en.ts";

/** Only the language that is needed is fetched; English is there in any case, and stands in when another cannot be had. */
const others: Record<Exclude<LocaleId, "en">, () => Promise<Words>> = {
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

export function loadMessages(locale: LocaleId): Promise<Words> {
  return locale === "en" ? Promise.resolve(en) : others[locale]().catch(() => en);
}

/** Puts values in the place of `{name}`. */
export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
