/** An email that the mail server did not accept. Members may see the message. */
export class MailError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MailError";
  }
}

/** An error from nodemailer. `response` is the server's reply, and `responseCode` is the number at its start. */
type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

/**
 * Creates a function that explains why an email was not sent. Members must not learn where the operator's mail server
 * is, so `failure` quotes the server's reply to the email, but nothing about connecting or signing in. `details` are
 * for the log. Neither contains the password.
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
      return "The mail server rejected the user name or password of SMTP_URL.";
    case "ETLS":
      return "Could not establish a secure connection to the mail server.";
    case "ETIMEDOUT":
    case "EABORT":
      return "The mail server did not respond in time.";
    case "EENVELOPE":
    case "EMESSAGE":
      return response
        ? `The mail server rejected the email: ${toSingleLine(response)}`
        : "The mail server cannot accept this email because of its size or an address.";
    default:
      return "The mail server could not be reached or closed the connection.";
  }
}

function toSingleLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed();
}

/**
 * Creates a function that masks the credentials, because a server may quote them in any encoding in which they were
 * sent.
 */
function createMask(auth: { user: string; pass: string } | null): (text: string) => string {
  if (!auth) return (text) => text;
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const { user, pass } = auth;
  const encodedCredentials = [base64(`\0${user}\0${pass}`), base64(pass), encodeURIComponent(pass), pass];
  return (text) => encodedCredentials.reduce((masked, secret) => masked.replaceAll(secret, "***"), text);
}
