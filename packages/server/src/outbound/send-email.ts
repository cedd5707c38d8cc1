import { getCACertificates } from "node:tls";
import { domainToASCII } from "node:url";
import type { SendMailOptions } from "nodemailer";
import type { Logger } from "pino";
import { createFairPool } from "../pools/fair-pool.ts";
import { lampPicture } from "./lamp-picture.ts";
import { LAMP_ID, type MailContent, renderMail } from "./mail-content.ts";
import { createMailFailure, MailError } from "./mail-error.ts";
import { isMailAddress, type SmtpAddress, type TlsMode } from "./smtp-address.ts";

export { MailError };

/**
 * `smtp` is null when no mail server is configured. `ca` has the certificates (PEM) that are trusted besides those of the
 * system. `from` is the sender of every email.
 */
type MailSettings = {
  smtp: SmtpAddress | null;
  tls: TlsMode;
  ca: string | null;
  from: { name: string; address: string };
};

/** `organizationId` is the organization that sends it; emails about an account have none, and count as one sender. */
type Mail = MailContent & {
  to: string;
  organizationId?: string;
  files?: readonly MailFile[];
  /** the address that receives the answers */
  replyTo?: string | undefined;
  /** Do not repeat it when the connection ends while it is sent, because the mail server may have accepted it. */
  isSentOnce?: true;
};

/** A file that is sent with an email. */
export type MailFile = { name: string; type: string; content: Buffer };

export type Mailer = {
  /** true when SMTP_URL is set */
  isConfigured: boolean;
  /**
   * Sends an email to one address. Resolves when the mail server has accepted it.
   * @throws MailError whose message members may see
   */
  send(mail: Mail): Promise<void>;
  /**
   * Connects and signs in like `send`, within `CHECK_MS`.
   * @returns the message of the error that `send` would throw, or null
   */
  check(): Promise<string | null>;
  /** Closes all connections. Emails in flight fail. */
  close(): Promise<void>;
};

/**
 * The time limits for connecting, the server's greeting, each of its replies, and one email in total, in milliseconds.
 */
const defaultLimits = { connect: 10_000, greeting: 10_000, socket: 30_000, total: 30_000 };

/**
 * The maximum number of connections to the mail server; some refuse more than 10. nodemailer lets emails wait for one in
 * the order of arrival, so a pool gives each organization its share of them first.
 */
const MAX_CONNECTIONS = 5;

/** Creates the only object that sends email. @param limits time limits, for tests */
export function createMailer(
  { mail: { smtp, ...settings }, baseUrl }: { mail: MailSettings; baseUrl: string },
  log: Logger,
  limits: Partial<typeof defaultLimits> = {},
): Mailer {
  const timeouts = { ...defaultLimits, ...limits };
  const connections = createFairPool({
    name: "mail_connections",
    size: MAX_CONNECTIONS,
    maxPerOwner: MAX_CONNECTIONS,
    // Most servers have one organization, which can use all connections but one.
    freeFactor: 3,
    maxWaitingPerOwner: Number.POSITIVE_INFINITY,
  });
  const explain = createMailFailure(smtp?.auth ?? null);
  const transports = new Map<"repeats" | "once", ReturnType<typeof openTransport>>();

  function openFor(smtp: SmtpAddress, isSentOnce: boolean): ReturnType<typeof openTransport> {
    const name = isSentOnce ? "once" : "repeats";
    const options = { ...timeouts, ...(isSentOnce ? { maxRequeues: 0 } : {}) };
    const transport = transports.get(name) ?? openTransport(smtp, settings, options);
    transports.set(name, transport);
    return transport;
  }

  return {
    isConfigured: smtp !== null,
    async send({ organizationId = "", isSentOnce = false, ...mail }) {
      if (!smtp) throw new MailError("Email cannot be sent because SMTP_URL is not set.");
      if (!isMailAddress(mail.to)) {
        throw new MailError(`${JSON.stringify(mail.to.slice(0, 254))} is not an email address.`);
      }
      const signal = AbortSignal.timeout(timeouts.total);
      try {
        const opened = await openFor(smtp, isSentOnce);
        const sendOne = () => opened.sendMail({ ...compose(mail, baseUrl), from: settings.from, signal });
        await connections.run({ owner: organizationId }, sendOne, signal);
      } catch (error) {
        const { failure, details } = explain(error);
        log.warn(details, "could not send an email");
        throw failure;
      }
    },
    async check() {
      if (!smtp) return "SMTP_URL is not set.";
      const probe = await openTransport(smtp, settings, { ...timeouts, ...capTimeouts(timeouts, CHECK_MS) });
      try {
        await withTimeout(probe.verify(), CHECK_MS);
        return null;
      } catch (error) {
        return explain(error).failure.message;
      } finally {
        probe.close({ force: true });
      }
    },
    async close() {
      for (const opened of await Promise.all(transports.values())) opened.close({ force: true });
    },
  };
}

/** The timeout of the check, in milliseconds. It is short because someone is waiting for a page to load. */
const CHECK_MS = 5_000;

const capTimeouts = ({ connect, greeting, socket }: typeof defaultLimits, ms: number) => ({
  connect: Math.min(connect, ms),
  greeting: Math.min(greeting, ms),
  socket: Math.min(socket, ms),
});

/** Rejects with nodemailer's error code for a timeout if `work` takes longer than `ms`. */
async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(Object.assign(new Error("timed out"), { code: "ETIMEDOUT" })), ms);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Imports nodemailer with the first email, so that it uses no memory on a server that sends none. */
async function openTransport(
  { auth, port, ...smtp }: SmtpAddress,
  { tls, ca, from }: Omit<MailSettings, "smtp">,
  { maxRequeues, ...timeouts }: typeof defaultLimits & { maxRequeues?: number },
) {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...smtp,
    // Strict relays refuse the address in brackets with which nodemailer greets them from a container.
    name: readGreeting(from.address),
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    requireTLS: tls === "required",
    ignoreTLS: tls === "off",
    ...(ca === null ? {} : { tls: { ca: [...getCACertificates(), ca] } }),
    ...(port ? { port } : {}),
    ...(auth ? { auth } : {}),
    ...(maxRequeues === undefined ? {} : { maxRequeues }),
    connectionTimeout: timeouts.connect,
    dnsTimeout: timeouts.connect,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.socket,
    // Never read the content of an email from a file on this machine or from a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The host of the sender's address, which may be an IP address in brackets. */
const readGreeting = (address: string) => {
  const host = address.slice(address.lastIndexOf("@") + 1);
  return domainToASCII(host) || host;
};

function compose({ to, files = [], replyTo, ...content }: Mail, baseUrl: string): SendMailOptions {
  return {
    ...renderMail(content, new URL(baseUrl).host),
    ...(replyTo === undefined ? {} : { replyTo: { name: "", address: replyTo } }),
    // Pass the address as an object, because nodemailer would parse a string as a list of addresses.
    to: { name: "", address: to },
    subject: content.subject.replace(/\p{Cc}+/gu, " ").trim(),
    // RFC 3834: prevents automatic replies such as holiday notices.
    headers: { "Auto-Submitted": "auto-generated" },
    attachments: [
      {
        filename: "lamp.png",
        cid: LAMP_ID,
        contentType: "image/png",
        content: lampPicture,
        contentDisposition: "inline",
      },
      ...files.map(({ name, type, content }) => ({
        filename: name,
        contentType: type,
        content,
        contentDisposition: "attachment" as const,
      })),
    ],
  };
}
