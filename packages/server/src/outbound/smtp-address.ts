/** The address of the mail server. A null port means the default: 587, or 465 with TLS from the start. */
export type SmtpAddress = {
  host: string;
  port: number | null;
  secure: boolean;
  auth: { user: string; pass: string } | null;
};

/**
 * How a connection that starts without TLS is secured: `auto` uses TLS if the server offers it, `required` sends nothing
 * without it, and `off` never uses it.
 */
export const tlsModes = ["auto", "required", "off"] as const;
export type TlsMode = (typeof tlsModes)[number];

export type Mailbox = { name: string; address: string };

/**
 * Parses `smtp://user:password@host:587` or `smtps://…`.
 * @throws Error that describes the expected format without quoting the value
 */
export function parseSmtpUrl(value: string): SmtpAddress {
  const url = URL.parse(value);
  const isSmtp = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (!isSmtp || !url.hostname || url.pathname.length > 1 || url.search || url.hash) {
    throw new Error("smtp://user:password@mail.example.com:587, or smtps:// for TLS from the start");
  }
  const [user, pass] = [decodeCredential(url.username), decodeCredential(url.password)];
  if ((user === "") !== (pass === "")) throw new Error("a user name and a password, or neither of them");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port ? Number(url.port) : null,
    secure: url.protocol === "smtps:",
    auth: user ? { user, pass } : null,
  };
}

/** Parses `Name <name@example.com>` or `name@example.com`. @throws Error that describes the expected format */
export function parseMailbox(value: string): Mailbox {
  const [, name = "", inBrackets, bare] = /^(?:([^<>\r\n]*)<([^<>]+)>|([^<>]+))$/.exec(value) ?? [];
  const address = (inBrackets ?? bare ?? "").trim();
  if (!isMailAddress(address)) throw new Error("an address such as Foyer <no-reply@example.com>");
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}

/**
 * Returns true for exactly one address, without a list, display name, comment or line break. Quoted local parts are
 * rejected because they are practically unused and mail programs disagree on where they end.
 */
export function isMailAddress(value: string): boolean {
  return (
    value.length <= 254 &&
    /^[^\s@<>()[\]\\,;:"\p{C}]+@(?:[^\s@<>()[\]\\,;:"\p{C}]+|\[(?:IPv6:)?[0-9A-Fa-f:.]+\])$/u.test(value)
  );
}

/** Normalizes an address for storing and comparing: trims it and converts it to lower case. */
export const normalizeAddress = (address: string): string => address.trim().toLowerCase();

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("a user name and a password in which % is written as %25");
  }
}
