/** A mail that was not taken by the mail server. The message may be shown to a member of the account. */
export class MailError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MailError";
  }
}

/** What nodemailer throws. `response` is the server's answer, `responseCode` the number it begins with. */
type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

/**
 * Explains why a mail was not sent. A member of the account need not know where the operator's mail server is, so
 * `failure` quotes the server's answer to the mail, and nothing of connecting or signing in. `details` are for the log.
 * The password is in neither of them.
 */
export function createMailFailure(auth: { user: string; pass: string } | null) {
  const mask = createMask(auth);
  return (error: unknown): { failure: MailError; details: object } => {
    const { code = "", command, response, responseCode, message } = error as SmtpError;
    const details = { code, command, responseCode, reason: mask(message) };
    return { failure: new MailError(explain(code, response ? mask(response) : null)), details };
  };
}

function explain(code: string, response: string | null): string {
  switch (code) {
    case "EAUTH":
    case "ENOAUTH":
      return "The mail server refused the user name or password of SMTP_URL.";
    case "ETLS":
      return "A secure connection to the mail server could not be made.";
    case "ETIMEDOUT":
    case "EABORT":
      return "The mail server did not answer in time.";
    case "EENVELOPE":
    case "EMESSAGE":
      return response
        ? `The mail server refused the mail: ${oneLine(response)}`
        : "The mail server cannot take this mail: its size or an address does not suit it.";
    default:
      return "The mail server could not be reached, or broke off.";
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed();
}

/** A server may quote what it was told, in the spellings in which it was told. */
function createMask(auth: { user: string; pass: string } | null): (text: string) => string {
  if (!auth) return (text) => text;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const { user, pass } = auth;
  const spellings = [base64(`\0${user}\0${pass}`), base64(pass), encodeURIComponent(pass), pass];
  return (text) => spellings.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}
