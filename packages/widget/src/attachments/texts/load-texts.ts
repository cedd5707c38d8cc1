import type { LocaleId } from "../../locales/choose-locale.ts";
import { type AttachmentTexts, attachmentEn } from "./attachment-en.ts";

export type { AttachmentTexts };

/** Only the needed language is loaded, as with the panel's messages. English is the fallback. */
const others: Record<Exclude<LocaleId, "en">, () => Promise<AttachmentTexts>> = {
  de: async () => (await import("./attachment-de.ts")).attachmentDe,
  fr: async () => (await import("./attachment-fr.ts")).attachmentFr,
  es: async () => (await import("./attachment-es.ts")).attachmentEs,
  it: async () => (await import("./attachment-it.ts")).attachmentIt,
  pt: async () => (await import("./attachment-pt.ts")).attachmentPt,
  nl: async () => (await import("./attachment-nl.ts")).attachmentNl,
  pl: async () => (await import("./attachment-pl.ts")).attachmentPl,
  tr: async () => (await import("./attachment-tr.ts")).attachmentTr,
  ar: async () => (await import("./attachment-ar.ts")).attachmentAr,
  ja: async () => (await import("./attachment-ja.ts")).attachmentJa,
  zh: async () => (await import("./attachment-zh.ts")).attachmentZh,
};

export function loadTexts(locale: LocaleId): Promise<AttachmentTexts> {
  return locale === "en" ? Promise.resolve(attachmentEn) : others[locale]().catch(() => attachmentEn);
}
