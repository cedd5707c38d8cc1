import type { LocaleId } from "./choose-locale.ts";
import type { Messages } from "./en.ts";
import { type InLocale, loadTexts } from "./load-texts.ts";

const files: Record<LocaleId, () => Promise<{ texts: Messages }>> = {
  en: () => import("./en.ts"),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
  nl: () => import("./nl.ts"),
  pl: () => import("./pl.ts"),
  tr: () => import("./tr.ts"),
  ar: () => import("./ar.ts"),
  ja: () => import("./ja.ts"),
  zh: () => import("./zh.ts"),
};

export const loadMessages = (core: InLocale): Promise<Messages> => loadTexts(core, "", files);

/** Replaces placeholders such as `{name}` with values. */
export function interpolate(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
