import type { LocaleId } from "../../locales/choose-locale.ts";
import { type InLocale, loadTexts } from "../../locales/load-texts.ts";
import type { AttachmentTexts } from "./attachment-en.ts";

export type { AttachmentTexts };

const files: Record<LocaleId, () => Promise<{ texts: AttachmentTexts }>> = {
  en: () => import("./attachment-en.ts"),
  de: () => import("./attachment-de.ts"),
  fr: () => import("./attachment-fr.ts"),
  es: () => import("./attachment-es.ts"),
  it: () => import("./attachment-it.ts"),
  pt: () => import("./attachment-pt.ts"),
  nl: () => import("./attachment-nl.ts"),
  pl: () => import("./attachment-pl.ts"),
  tr: () => import("./attachment-tr.ts"),
  ar: () => import("./attachment-ar.ts"),
  ja: () => import("./attachment-ja.ts"),
  zh: () => import("./attachment-zh.ts"),
};

export const loadAttachmentTexts = (core: InLocale): Promise<AttachmentTexts> => loadTexts(core, "attachment-", files);
