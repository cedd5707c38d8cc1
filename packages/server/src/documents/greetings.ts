/** Greetings, thanks and farewells in the widget's languages and a few others. */
const phrases = [
  "hi|hello|hey|yo|good (?:morning|afternoon|evening)|thanks|thank you|thx|ok|okay|bye|goodbye|great|cool|yes|no",
  "hallo|moin|servus|guten (?:morgen|tag|abend)|danke|vielen dank|tschüss|ja|nein",
  "bonjour|bonsoir|salut|merci|au revoir|oui|non",
  "hola|buenos días|buenas(?: tardes| noches)?|gracias|adiós|sí",
  "ciao|buongiorno|buonasera|grazie|arrivederci",
  "olá|oi|bom dia|boa (?:tarde|noite)|obrigad[oa]|tchau|sim|não",
  "hoi|goedemorgen|goedemiddag|dank je|bedankt|doei",
  "cześć|dzień dobry|dziękuję|hej|tack|merhaba|teşekkürler",
  "привет|здравствуйте|спасибо|пока|да|нет",
  "こんにちは|ありがとう(?:ございます)?|你好|您好|谢谢|مرحبا|شكرا|สวัสดี|ขอบคุณ|안녕하세요|감사합니다",
];
const greeting = new RegExp(`^(?:(?:${phrases.join("|")})(?:[\\s,.!?。！？]|\\p{Emoji_Presentation})*)+$`, "iu");

/** Whether a message consists only of greetings, thanks or emoji, which no document can answer. */
export function isGreeting(message: string): boolean {
  const text = message.trim().slice(0, 200);
  return !/[\p{L}\p{N}]/u.test(text) || (text.length < 60 && greeting.test(text));
}
