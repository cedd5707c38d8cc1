import type { LocaleId } from "../../locales/choose-locale.ts";

/** The label of the button that closes a bubble. */
export const closeLabels: Record<LocaleId, string> = {
  en: "Close message",
  de: "Nachricht schließen",
  fr: "Fermer le message",
  es: "Cerrar el mensaje",
  it: "Chiudi il messaggio",
  pt: "Fechar a mensagem",
  nl: "Bericht sluiten",
  pl: "Zamknij wiadomość",
  tr: "Mesajı kapat",
  ar: "إغلاق الرسالة",
  ja: "メッセージを閉じる",
  zh: "关闭消息",
};
