import type { SendMailOptions } from "nodemailer";
import type { Logger } from "pino";
import { createMailFailure, MailError } from "./mail-error.ts";
import { isMailAddress, type SmtpAddress } from "./smtp-address.ts";

export { MailError };

/** `smtp` is null when no mail server is configured. `from` is the sender of every mail. */
type MailSettings = { smtp: SmtpAddress | null; from: { name: string; address: string } };

type Mail = { to: string; subject: string; text: string; html?: string };

export type Mailer = {
  /** SMTP_URL is set. */
  isConfigured: boolean;
  /**
   * Hands one mail for one address to the mail server; resolves when the server has taken it.
   * @throws MailError whose message may be shown to a member of the account
   */
  send(mail: Mail): Promise<void>;
  /**
   * Connects and signs in, as for a mail, within `CHECK_MS`. @returns what is wrong, as for `send`; null when nothing is
   */
  check(): Promise<string | null>;
  /** Ends every connection. What is being sent fails. */
  close(): Promise<void>;
};

/** In milliseconds: for a connection, the server's first line, each of its answers, and one mail in all. */
const defaultLimits = { connect: 10_000, greeting: 10_000, socket: 30_000, total: 30_000 };

/**
 * The only way out for mail.
 * @param limits other time limits, for tests that cannot wait
 */
export function createMailer(
  { mail: { smtp, from } }: { mail: MailSettings },
  log: Logger,
  limits: Partial<typeof defaultLimits> = {},
): Mailer {
  const timeouts = { ...defaultLimits, ...limits };
  const explain = createMailFailure(smtp?.auth ?? null);
  let transport: ReturnType<typeof openTransport> | undefined;

  return {
    isConfigured: smtp !== null,
    async send(mail) {
      if (!smtp) throw new MailError("No mail can be sent: SMTP_URL is not set.");
      if (!isMailAddress(mail.to)) {
        throw new MailError(`${JSON.stringify(mail.to.slice(0, 254))} is not a mail address.`);
      }
      const signal = AbortSignal.timeout(timeouts.total);
      try {
        transport ??= openTransport(smtp, timeouts);
        await (await transport).sendMail({ ...compose(mail), from, signal });
      } catch (error) {
        const { failure, details } = explain(error);
        log.warn(details, "a mail was not sent");
        throw failure;
      }
    },
    async check() {
      if (!smtp) return "SMTP_URL is not set.";
      const probe = await openTransport(smtp, { ...timeouts, ...atMost(timeouts, CHECK_MS) });
      try {
        await inTime(probe.verify(), CHECK_MS);
        return null;
      } catch (error) {
        return explain(error).failure.message;
      } finally {
        probe.close({ force: true });
      }
    },
    async close() {
      (await transport)?.close({ force: true });
    },
  };
}

/** Somebody looks at a page meanwhile. In milliseconds. */
const CHECK_MS = 5_000;

const atMost = ({ connect, greeting, socket }: typeof defaultLimits, ms: number) => ({
  connect: Math.min(connect, ms),
  greeting: Math.min(greeting, ms),
  socket: Math.min(socket, ms),
});

/** Rejects as nodemailer does when something takes too long. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(Object.assign(new Error("too late"), { code: "ETIMEDOUT" })), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** nodemailer is loaded with the first mail: a server that sends none does without its memory. */
async function openTransport({ auth, port, ...smtp }: SmtpAddress, timeouts: typeof defaultLimits) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...smtp,
    pool: true,
    ...(port ? { port } : {}),
    ...(auth ? { auth } : {}),
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.socket,
    // A mail is what it is given, never a file of this machine or something fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function compose({ to, subject, text, html }: Mail): SendMailOptions {
  return {
    // As an object it is one address; as text it would be read as a list.
    to: { name: "", address: to },
    subject: subject.replace(/\p{Cc}+/gu, " ").trim(),
    text,
    ...(html === undefined ? {} : { html }),
    // RFC 3834: nobody's holiday notice answers this.
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
