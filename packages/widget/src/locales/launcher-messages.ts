export type LauncherMessages = { open: string; close: string };

/** The launcher's labels. They are short, so the loader contains them in all languages. */
const table = {
  en: ["Open chat", "Close chat"],
  de: ["Chat öffnen", "Chat schließen"],
  fr: ["Ouvrir le chat", "Fermer le chat"],
  es: ["Abrir el chat", "Cerrar el chat"],
  it: ["Apri la chat", "Chiudi la chat"],
  pt: ["Abrir o chat", "Fechar o chat"],
  nl: ["Chat openen", "Chat sluiten"],
  pl: ["Otwórz czat", "Zamknij czat"],
  tr: ["Sohbeti aç", "Sohbeti kapat"],
  ar: ["فتح الدردشة", "إغلاق الدردشة"],
  ja: ["チャットを開く", "チャットを閉じる"],
  zh: ["打开聊天", "关闭聊天"],
} satisfies Record<string, [open: string, close: string]>;

export type LocaleId = keyof typeof table;

/** The languages of the widget, by primary subtag. */
export const localeIds = Object.keys(table) as LocaleId[];

export function launcherMessages(locale: LocaleId): LauncherMessages {
  const [open, close] = table[locale];
  return { open, close };
}
