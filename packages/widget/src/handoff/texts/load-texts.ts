import type { LocaleId } from "../../locales/choose-locale.ts";
import { type HandoffTexts, handoffEn } from "./handoff-en.ts";

export type { HandoffTexts };

/** Only the needed language is loaded, as with the panel's messages. English is the fallback. */
const others: Record<Exclude<LocaleId, "en">, () => Promise<HandoffTexts>> = {
  de: async () => (await import("./handoff-de.ts")).handoffDe,
  fr: async () => (await import("./handoff-fr.ts")).handoffFr,
  es: async () => (await import("./handoff-es.ts")).handoffEs,
  it: async () => (await import("./handoff-it.ts")).handoffIt,
  pt: async () => (await import("./handoff-pt.ts")).handoffPt,
  nl: async () => (await import("./handoff-nl.ts")).handoffNl,
  pl: async () => (await import("./handoff-pl.ts")).handoffPl,
  tr: async () => (await import("./handoff-tr.ts")).handoffTr,
  ar: async () => (await import("./handoff-ar.ts")).handoffAr,
  ja: async () => (await import("./handoff-ja.ts")).handoffJa,
  zh: async () => (await import("./handoff-zh.ts")).handoffZh,
};

export function loadTexts(locale: LocaleId): Promise<HandoffTexts> {
  return locale === "en" ? Promise.resolve(handoffEn) : others[locale]().catch(() => handoffEn);
}
