import type { LocaleId } from "../../locales/choose-locale.ts";
import { type InLocale, loadTexts } from "../../locales/load-texts.ts";
import type { FormMessages } from "./form-en.ts";

export type { FormMessages };

const files: Record<LocaleId, () => Promise<{ texts: FormMessages }>> = {
  en: () => import("./form-en.ts"),
  de: () => import("./form-de.ts"),
  fr: () => import("./form-fr.ts"),
  es: () => import("./form-es.ts"),
  it: () => import("./form-it.ts"),
  pt: () => import("./form-pt.ts"),
  nl: () => import("./form-nl.ts"),
  pl: () => import("./form-pl.ts"),
  tr: () => import("./form-tr.ts"),
  ar: () => import("./form-ar.ts"),
  ja: () => import("./form-ja.ts"),
  zh: () => import("./form-zh.ts"),
};

export const loadFormMessages = (core: InLocale): Promise<FormMessages> => loadTexts(core, "form-", files);
