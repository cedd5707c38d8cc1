import type { LocaleId } from "../../locales/choose-locale.ts";
import { type InLocale, loadTexts } from "../../locales/load-texts.ts";
import type { HandoffTexts } from "./handoff-en.ts";

export type { HandoffTexts };

const files: Record<LocaleId, () => Promise<{ texts: HandoffTexts }>> = {
  en: () => import("./handoff-en.ts"),
  de: () => import("./handoff-de.ts"),
  fr: () => import("./handoff-fr.ts"),
  es: () => import("./handoff-es.ts"),
  it: () => import("./handoff-it.ts"),
  pt: () => import("./handoff-pt.ts"),
  nl: () => import("./handoff-nl.ts"),
  pl: () => import("./handoff-pl.ts"),
  tr: () => import("./handoff-tr.ts"),
  ar: () => import("./handoff-ar.ts"),
  ja: () => import("./handoff-ja.ts"),
  zh: () => import("./handoff-zh.ts"),
};

export const loadHandoffTexts = (core: InLocale): Promise<HandoffTexts> => loadTexts(core, "handoff-", files);
