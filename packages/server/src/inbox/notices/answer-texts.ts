/** The texts of an email to a visitor. `{name}` is replaced by the member's name, `{site}` by the agent's name. */
export type AnswerTexts = {
  subject: string;
  opening: string;
  link: string;
  quote: string;
  you: string;
  footer: string;
};

/** By primary language subtag: the languages of the widget. */
const byLanguage: Record<string, AnswerTexts> & { en: AnswerTexts } = {
  en: {
    subject: "{name} has answered you ({site})",
    opening: "{name} has answered your question to {site}:",
    link: "Continue the conversation:",
    quote: "The conversation so far:",
    you: "You",
    footer: "You receive this email because you left this address for an answer. Use the link to reply.",
  },
  de: {
    subject: "{name} hat Ihnen geantwortet ({site})",
    opening: "{name} hat Ihre Frage an {site} beantwortet:",
    link: "Gespräch fortsetzen:",
    quote: "Das bisherige Gespräch:",
    you: "Sie",
    footer:
      "Sie erhalten diese E-Mail, weil Sie diese Adresse für eine Antwort hinterlassen haben. Antworten Sie über den Link.",
  },
  fr: {
    subject: "{name} vous a répondu ({site})",
    opening: "{name} a répondu à votre question à {site} :",
    link: "Poursuivre la conversation :",
    quote: "La conversation jusqu’ici :",
    you: "Vous",
    footer:
      "Vous recevez cet e-mail parce que vous avez laissé cette adresse pour une réponse. Utilisez le lien pour répondre.",
  },
  es: {
    subject: "{name} te ha respondido ({site})",
    opening: "{name} ha respondido a tu pregunta a {site}:",
    link: "Continuar la conversación:",
    quote: "La conversación hasta ahora:",
    you: "Tú",
    footer:
      "Recibes este correo porque dejaste esta dirección para recibir una respuesta. Usa el enlace para responder.",
  },
  it: {
    subject: "{name} ti ha risposto ({site})",
    opening: "{name} ha risposto alla tua domanda a {site}:",
    link: "Continua la conversazione:",
    quote: "La conversazione finora:",
    you: "Tu",
    footer: "Ricevi questa email perché hai lasciato questo indirizzo per una risposta. Usa il link per rispondere.",
  },
  pt: {
    subject: "{name} respondeu a você ({site})",
    opening: "{name} respondeu à sua pergunta para {site}:",
    link: "Continuar a conversa:",
    quote: "A conversa até agora:",
    you: "Você",
    footer: "Você recebe este e-mail porque deixou este endereço para uma resposta. Use o link para responder.",
  },
  nl: {
    subject: "{name} heeft je geantwoord ({site})",
    opening: "{name} heeft je vraag aan {site} beantwoord:",
    link: "Verder met het gesprek:",
    quote: "Het gesprek tot nu toe:",
    you: "Jij",
    footer:
      "Je ontvangt deze e-mail omdat je dit adres hebt achtergelaten voor een antwoord. Gebruik de link om te antwoorden.",
  },
  pl: {
    subject: "{name} odpowiada na Twoje pytanie ({site})",
    opening: "{name} odpowiada na Twoje pytanie do {site}:",
    link: "Kontynuuj rozmowę:",
    quote: "Dotychczasowa rozmowa:",
    you: "Ty",
    footer: "Otrzymujesz tę wiadomość, ponieważ podano ten adres do odpowiedzi. Aby odpowiedzieć, użyj linku.",
  },
  tr: {
    subject: "{name} size yanıt verdi ({site})",
    opening: "{name}, {site} için sorduğunuz soruyu yanıtladı:",
    link: "Görüşmeye devam edin:",
    quote: "Şimdiye kadarki görüşme:",
    you: "Siz",
    footer: "Bu e-postayı, yanıt için bu adresi bıraktığınız için alıyorsunuz. Yanıtlamak için bağlantıyı kullanın.",
  },
  ar: {
    subject: "ردّ عليك {name} ({site})",
    opening: "ردّ {name} على سؤالك إلى {site}:",
    link: "متابعة المحادثة:",
    quote: "المحادثة حتى الآن:",
    you: "أنت",
    footer: "تصلك هذه الرسالة لأنك تركت هذا العنوان لتلقي الرد. استخدم الرابط للرد.",
  },
  ja: {
    subject: "{name}さんから返信があります（{site}）",
    opening: "{site}へのご質問に{name}さんが返信しました。",
    link: "会話を続ける：",
    quote: "これまでの会話：",
    you: "あなた",
    footer: "このメールは、返信先としてこのアドレスが入力されたためお送りしています。返信にはリンクをご利用ください。",
  },
  zh: {
    subject: "{name} 回复了您（{site}）",
    opening: "{name} 回复了您向 {site} 提出的问题：",
    link: "继续对话：",
    quote: "目前为止的对话：",
    you: "您",
    footer: "您收到此邮件，是因为您留下了此地址以接收回复。请使用链接回复。",
  },
};

/** @param language a language tag such as `pt-BR`; languages that the widget does not support get English */
export function answerTexts(language: string | null): { language: string; texts: AnswerTexts } {
  const subtag = language?.toLowerCase().split(/[-_]/)[0] ?? "";
  const texts = Object.hasOwn(byLanguage, subtag) ? byLanguage[subtag] : undefined;
  return texts ? { language: subtag, texts } : { language: "en", texts: byLanguage.en };
}

export const answerLanguages = Object.keys(byLanguage);
