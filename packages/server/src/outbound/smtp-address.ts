/** Where mail is handed in. A port of null is the usual one: 587, or 465 when the connection begins with TLS. */
export type SmtpAddress = {
  host: string;
  port: number | null;
  secure: boolean;
  auth: { user: string; pass: string } | null;
};

export type Mailbox = { name: string; address: string };

/** `smtp://user:password@host:587` or `smtps://…`. @throws Error that says what was expected, without what was found */
export function parseSmtpUrl(value: string): SmtpAddress {
  const url = URL.parse(value);
  const isSmtp = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (!isSmtp || !url.hostname || url.pathname.length > 1 || url.search || url.hash) {
    throw new Error("smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start");
  }
  const [user, pass] = [decode(url.username), decode(url.password)];
  if ((user === "") !== (pass === "")) throw new Error("a user name and a password, or neither of them");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port ? Number(url.port) : null,
    secure: url.protocol === "smtps:",
    auth: user ? { user, pass } : null,
  };
}

/** `Name <name@example.com>` or `name@example.com`. @throws Error that says what was expected */
export function parseMailbox(value: string): Mailbox {
  const [, name = "", inBrackets, bare] = /^(?:([^<>\r\n]*)<([^<>]+)>|([^<>]+))$/.exec(value) ?? [];
  const address = (inBrackets ?? bare ?? "").trim();
  if (!isMailAddress(address)) throw new Error("an address such as Foyer <no-reply@example.com>");
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}

/**
 * True for one address and nothing else: no list, no name, no comment, no line break. Quoted spellings, which nobody
 * has, are left out because mail programs disagree on where they end.
 */
export function isMailAddress(value: string): boolean {
  return (
    value.length <= 254 &&
    /^[^\s@<>()[\]\\,;:"\p{C}]+@(?:[^\s@<>()[\]\\,;:"\p{C}]+|\[(?:IPv6:)?[0-9A-Fa-f:.]+\])$/u.test(value)
  );
}

/** How an address is kept and compared: without spaces around it, in lower case. */
export const normalizeAddress = (address: string): string => address.trim().toLowerCase();

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("a user name and a password in which % is written as %25");
  }
}
