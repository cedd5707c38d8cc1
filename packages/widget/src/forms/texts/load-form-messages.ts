import type { LocaleId } from "../../locales/choose-locale.ts";
import { type FormMessages, formEn } from "./form-en.ts";

export type { FormMessages };

/** Only the needed language is loaded, as with the panel's messages. English is the fallback. */
const others: Record<Exclude<LocaleId, "en">, () => Promise<FormMessages>> = {
  de: async () => (await import("./form-de.ts")).formDe,
  fr: async () => (await import("./form-fr.ts")).formFr,
  es: async () => (await import("./form-es.ts")).formEs,
  it: async () => (await import("./form-it.ts")).formIt,
  pt: async () => (await import("./form-pt.ts")).formPt,
  nl: async () => (await import("./form-nl.ts")).formNl,
  pl: async () => (await import("./form-pl.ts")).formPl,
  tr: async () => (await import("./form-tr.ts")).formTr,
  ar: async () => (await import("./form-ar.ts")).formAr,
  ja: async () => (await import("./form-ja.ts")).formJa,
  zh: async () => (await import("./form-zh.ts")).formZh,
};

export function loadFormMessages(locale: LocaleId): Promise<FormMessages> {
  return locale === "en" ? Promise.resolve(formEn) : others[locale]().catch(() => formEn);
}
