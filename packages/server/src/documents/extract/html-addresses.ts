/** The address that Cloudflare hides from robots: each byte is XORed with the first one. Null for other texts. */
function revealEmail(hidden: string | undefined): string | null {
  if (!hidden || !/^(?:[0-9a-f]{2}){4,200}$/i.test(hidden)) return null;
  const [key = 0, ...bytes] = Buffer.from(hidden, "hex");
  const email = Buffer.from(bytes.map((byte) => byte ^ key)).toString("utf8");
  return email.includes("@") ? email : null;
}

/** The email address that an element stands for, whose content only says that it is protected. */
export const protectedEmail = (attributes: Record<string, string>): string | null =>
  revealEmail(attributes["data-cfemail"]);

/** The email address or phone number that a link opens; null for other links. */
export function linkedAddress(tag: string, { href = "" }: Record<string, string>): string | null {
  if (tag !== "a") return null;
  const [, hidden] = /\/cdn-cgi\/l\/email-protection#([0-9a-f]+)/i.exec(href) ?? [];
  const [, scheme, target = ""] = /^\s*(mailto|tel|callto|sms):([^?]{3,300})/i.exec(href) ?? [];
  const address = hidden === undefined ? decode(target).trim() : revealEmail(hidden);
  if (!address) return null;
  return scheme === undefined || /^mailto$/i.test(scheme) ? address : address.replace(/^\/\/|;.*$/g, "");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a text already has an address. The digits of a phone number count, without the code of its country. */
export function showsAddress(text: string, address: string): boolean {
  if (address.includes("@")) return text.replace(/\s/g, "").toLowerCase().includes(address.toLowerCase());
  const digits = (value: string) => value.replace(/\D/g, "");
  return digits(text) !== "" && digits(text).endsWith(digits(address).slice(-6));
}
