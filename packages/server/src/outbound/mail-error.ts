/** An email that the mail server did not accept. Members may see the message. */
export class MailError extends Error {
  /** Whether the mail server may still have accepted it, because the connection ended before its answer. */
  readonly isUncertain: boolean;

  constructor(message: string, { isUncertain = false } = {}) {
    super(message);
    this.name = "MailError";
    this.isUncertain = isUncertain;
  }
}

/**
 * An error from nodemailer. `originalCode` is Node's, if there is one. `response` is the server's reply, and `responseCode`
 * is the number at its start.
 */
type SmtpError = Error & {
  code?: string;
  originalCode?: string;
  command?: string;
  response?: string;
  responseCode?: number;
};

/**
 * Creates a function that explains why an email was not sent. Members must not learn where the operator's mail server
 * is, so `failure` quotes the server's reply to the email, but nothing about connecting or signing in. `details` are
 * for the log. Neither contains the password.
 */
export function createMailFailure(auth: { user: string; pass: string } | null) {
  const mask = createMask(auth);
  return (error: unknown): { failure: MailError; details: object } => {
    const { code = "", originalCode, command, response, responseCode, message } = error as SmtpError;
    const details = { code, command, responseCode, reason: mask(message) };
    const reason = response ? explain(code, mask(response)) : explainConnection(`${originalCode} ${message}`);
    const isUncertain = !response && !isBeforeContent(code, `${originalCode} ${message}`);
    return { failure: new MailError(reason ?? explain(code, null), { isUncertain }), details };
  };
}

/** Whether it certainly failed before the content of the email was sent. nodemailer's `command` does not say so. */
function isBeforeContent(code: string, reason: string): boolean {
  const noConnection =
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN) |Connection timeout|Greeting never/;
  return /^(EAUTH|ENOAUTH|ETLS|EDNS|EENVELOPE)$/.test(code) || noConnection.test(reason);
}

/** The codes and texts of Node and OpenSSL. After STARTTLS, nodemailer passes on only the text. */
const connectionProblems: Array<[pattern: RegExp, explanation: string]> = [
  [
    /self[- ]signed|unable to (verify|get)[ \w]*(certificate|issuer)/i,
    "The mail server's certificate comes from an authority that this server does not trust. Set FOYER_SMTP_CA to the authority's certificate.",
  ],
  [/certificate has expired/i, "The mail server's certificate has expired."],
  [
    /does not match certificate|altnames/i,
    "The mail server's certificate is for another name. Use the name from the certificate in SMTP_URL.",
  ],
  [
    /wrong version number|packet length too long|EPROTO/i,
    "The mail server does not start with TLS on this port. Use smtp:// instead of smtps:// in SMTP_URL, or the port for TLS (465).",
  ],
  [/ENOTFOUND|EAI_AGAIN|ENODATA/, "The mail server's name in SMTP_URL could not be resolved."],
  [/ECONNREFUSED/, "The mail server refused the connection. Check the port in SMTP_URL."],
];

/** Says why there was no connection. The error's own text is not used, because it contains the server's address. */
function explainConnection(message: string): string | undefined {
  return connectionProblems.find(([pattern]) => pattern.test(message))?.[1];
}

function explain(code: string, response: string | null): string {
  switch (code) {
    case "EAUTH":
    case "ENOAUTH":
      return "The mail server rejected the user name or password of SMTP_URL.";
    case "ETLS":
      return "Could not establish a secure connection to the mail server. If it cannot use TLS, set FOYER_SMTP_TLS=off.";
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
