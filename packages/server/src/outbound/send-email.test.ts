import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import tls from "node:tls";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { close, listen } from "../../../../test/outbound-servers.ts";
import { certificate, startSmtpServer } from "../../../../test/smtp-server.ts";
import { readConfig } from "../config.ts";
import { createMailer, MailError } from "./send-email.ts";
import { isMailAddress, parseMailbox } from "./smtp-address.ts";

const mail = { to: "ada@example.com", subject: "Your link", parts: ["Here it is."] };
const auth = { user: "foyer@example.com", pass: "canary:50% of/it" };
const HOUR_MS = 3_600_000;

async function startMailServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const server = await startSmtpServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** A mailer that is closed at the end of the test, and everything that it logged. */
function openMailer(
  SMTP_URL: string,
  limits: Parameters<typeof createMailer>[2] = {},
  settings: Record<string, string> = {},
) {
  const lines: string[] = [];
  const config = readConfig({ SMTP_URL, BASE_URL: "https://chat.example.com", ...settings });
  const mailer = createMailer(config, pino({ level: "trace" }, { write: (line: string) => lines.push(line) }), limits);
  onTestFinished(() => mailer.close());
  return { mailer, logged: () => lines.join("") };
}

const readFailure = (sending: Promise<unknown>) =>
  sending.then(
    () => "sent",
    (error: unknown) => (error instanceof MailError ? error.message : error),
  );

describe("an email", () => {
  it("does not wait for the emails of another organization that the mail server holds up", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url);
    server.script({ silentAt: "mail" });
    const held = Array.from({ length: 32 }, () =>
      mailer.send({ ...mail, organizationId: "org_1" }).catch(() => "closed"),
    );
    await expect.poll(() => server.mails().length).toBe(4);
    server.script({});
    await mailer.send({ ...mail, organizationId: "org_2", subject: "A submission" });
    expect(server.mails().at(-1)?.subject).toBe("A submission");
    await mailer.close();
    await Promise.all(held);
  });

  it("arrives and is marked as automatic", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url);
    const text = "Grüße 👋\n\n.\n.. a line of dots\nFrom here on = 100 %\n";
    await mailer.send({
      ...mail,
      subject: "Grüße aus dem Hafen, ein langer Betreff über viele Räder 👋",
      parts: [text],
    });
    const [received] = server.mails();
    expect(received).toMatchObject({
      from: "no-reply@chat.example.com",
      to: ["ada@example.com"],
      subject: "Grüße aus dem Hafen, ein langer Betreff über viele Räder 👋",
      text: text.trimEnd(),
      html: expect.stringContaining("Grüße 👋<br><br>.<br>.. a line of dots<br>From here on = 100 %"),
    });
    expect(received?.headers).toMatchObject({
      from: "Foyer <no-reply@chat.example.com>",
      to: "ada@example.com",
      "auto-submitted": "auto-generated",
      "message-id": expect.stringMatching(/^<[^@]+@chat\.example\.com>$/),
      date: expect.any(String),
    });
  });

  it.each([
    [{}, "chat.example.com"],
    [{ FOYER_MAIL_FROM: "Shop <shop@bikes.example>" }, "bikes.example"],
    [{ FOYER_MAIL_FROM: "shop@räder.example" }, "xn--rder-loa.example"],
  ])("greets the mail server with the host of its sender: %j", async (settings, host) => {
    const server = await startMailServer();
    await openMailer(server.url, {}, settings).mailer.send(mail);
    expect(server.seen.greetings).toEqual([host]);
  });

  it("can be answered to another address", async () => {
    const server = await startMailServer();
    await openMailer(server.url).mailer.send({ ...mail, replyTo: "grace@example.com" });
    expect(server.mails()[0]?.headers["reply-to"]).toBe("grace@example.com");
  });

  it("shares a connection with later ones", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url);
    for (const to of ["a@example.com", "b@example.com", "c@example.com"]) await mailer.send({ ...mail, to });
    expect(server.mails().map(({ to }) => to)).toEqual([["a@example.com"], ["b@example.com"], ["c@example.com"]]);
    expect(server.seen.connections).toBe(1);
  });

  it.each([
    "ada@example.com, eve@example.com",
    "ada@example.com;eve@example.com",
    "Ada <ada@example.com>",
    "ada@example.com\r\nBcc: eve@example.com",
    "ada@example.com\nRCPT TO:<eve@example.com>",
    "ada@example.com> SIZE=1",
    "friends:ada@example.com,eve@example.com;",
    '"ada\r\n"@example.com',
    "ada@exam\0ple.com",
    "ada@@example.com",
    "ada",
    "",
    `${"a".repeat(250)}@example.com`,
  ])("is sent to exactly one address: %j", async (to) => {
    const server = await startMailServer();
    expect(await readFailure(openMailer(server.url).mailer.send({ ...mail, to }))).toContain("is not an email address");
    expect(server.seen.connections).toBe(0);
  });

  it("cannot get headers from its subject or text", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url);
    const usual = ["auto-submitted", "content-type", "date", "from", "message-id"];
    const hostile = fc.string({
      unit: fc.constantFrom(..."\r\n\0\t :,;<>=?-.aé👋\u0085\u2028", "Bcc: eve@example.com"),
    });
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (subject, text) => {
        await mailer.send({ ...mail, subject: `x${subject}`, parts: [text] });
        const received = server.mails().at(-1);
        const { "content-transfer-encoding": _, ...headers } = received?.headers ?? {};
        expect(Object.keys(headers).sort()).toEqual([...usual, "mime-version", "subject", "to"].sort());
        expect(received?.to).toEqual(["ada@example.com"]);
        expect(received?.headers.to).toBe("ada@example.com");
      }),
      { numRuns: 100 },
    );
  });

  it("has a single sender address, whatever FOYER_MAIL_FROM contains", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."\r\n <>,;:@\"'.ab") }), (value) => {
        try {
          expect(isMailAddress(parseMailbox(value).address)).toBe(true);
        } catch (error) {
          expect(error).toHaveProperty("message", "an address such as Foyer <no-reply@example.com>");
        }
      }),
    );
  });
});

describe("the mail server", () => {
  it("is optional, and sending without one explains what is missing", async () => {
    const { mailer } = openMailer("");
    expect(mailer.isConfigured).toBe(false);
    expect(await readFailure(mailer.send(mail))).toBe("Email cannot be sent because SMTP_URL is not set.");
  });

  it("receives the user name and the password", async () => {
    const server = await startMailServer({ auth });
    const { mailer } = openMailer(server.url);
    expect(mailer.isConfigured).toBe(true);
    await mailer.send(mail);
    expect(server.mails()).toHaveLength(1);
  });

  it("can reject the credentials without revealing them to members", async () => {
    const server = await startMailServer({ auth: { ...auth, pass: "another" } });
    const url = server.url.replace("another", encodeURIComponent(auth.pass));
    const { mailer, logged } = openMailer(url);
    const message = await readFailure(mailer.send(mail));
    expect(message).toBe("The mail server rejected the user name or password of SMTP_URL.");
    expect(logged()).toContain("*** is not the password");
    expect(logged()).not.toContain("canary");
    expect(logged()).not.toContain(Buffer.from(auth.pass).toString("base64"));
    expect(server.mails()).toEqual([]);
  });

  it("can reject a recipient or an email and accepts the next one", async () => {
    const server = await startMailServer({ auth });
    const { mailer, logged } = openMailer(server.url);
    server.script({ recipient: "550 No such user, said canary:50% of/it" });
    expect(await readFailure(mailer.send(mail))).toBe("The mail server rejected the email: 550 No such user, said ***");
    expect(logged()).toContain('"responseCode":550');
    server.script({ mail: "552 Too much of it" });
    expect(await readFailure(mailer.send(mail))).toBe("The mail server rejected the email: 552 Too much of it");
    server.script({});
    await mailer.send(mail);
    expect(server.mails()).toHaveLength(1);
    expect(logged()).not.toContain("canary");
  });

  it("can be unreachable, and only the log names its address", async () => {
    const closed = await startSmtpServer();
    await closed.close();
    const { mailer, logged } = openMailer(closed.url);
    expect(await readFailure(mailer.send(mail))).toBe(
      "The mail server refused the connection. Check the port in SMTP_URL.",
    );
    expect(logged()).toContain("ECONNREFUSED");
  });

  it("can disconnect in the middle, and the next email uses a new connection", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url);
    await mailer.send(mail);
    server.script({ hangUpAt: "recipient" });
    expect(await readFailure(mailer.send(mail))).toBe("The mail server could not be reached or closed the connection.");
    server.script({});
    await mailer.send(mail);
    expect(server.mails()).toHaveLength(2);
  });

  it.each([
    ["start", { greeting: 700 }],
    ["mail", { socket: 700 }],
    ["mail", { total: 700 }],
  ] as const)("can stop responding (%s, %j) without blocking longer than the limit", async (silentAt, limit) => {
    const server = await startMailServer();
    server.script({ silentAt });
    // All other limits are longer than the test.
    const { mailer } = openMailer(server.url, { greeting: HOUR_MS, socket: HOUR_MS, total: HOUR_MS, ...limit });
    expect(await readFailure(mailer.send(mail))).toBe("The mail server did not respond in time.");
    server.script({});
    await mailer.send(mail);
    expect(server.mails().at(-1)?.to).toEqual(["ada@example.com"]);
  });

  it("can respond slowly without blocking longer than the limit", async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.write("220 mail.test\r\n");
      // Sends an endless response to EHLO byte by byte, so the connection is never silent for long.
      const dripping = setInterval(() => socket.write("2"), 20);
      socket.once("close", () => clearInterval(dripping));
    });
    const { port } = await listen(server, "127.0.0.1");
    onTestFinished(async () => {
      for (const socket of sockets) socket.destroy();
      await close(server);
    });
    const { mailer } = openMailer(`smtp://127.0.0.1:${port}`, { socket: 200, total: 600 });
    expect(await readFailure(mailer.send(mail))).toBe("The mail server did not respond in time.");
  });

  it("is disconnected when the mailer is closed", async () => {
    const server = await startMailServer();
    server.script({ silentAt: "mail" });
    const { mailer } = openMailer(server.url);
    const arriving = server.waitForMail();
    const sending = readFailure(mailer.send(mail));
    await arriving;
    await mailer.close();
    expect(await sending).toBe("The mail server could not be reached or closed the connection.");
  });
});

describe("TLS to the mail server", () => {
  function trustTestServer() {
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, certificate]);
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
  }

  it.each(["implicit", "starttls"] as const)("is used when the server supports it: %s", async (kind) => {
    trustTestServer();
    const server = await startMailServer({ auth, tls: kind });
    await openMailer(server.url).mailer.send(mail);
    expect(server.mails()[0]).toMatchObject({ isSecure: true, to: ["ada@example.com"] });
  });

  it.each(["implicit", "starttls"] as const)("refuses an untrusted certificate: %s", async (kind) => {
    const server = await startMailServer({ auth, tls: kind });
    const { mailer, logged } = openMailer(server.url);
    expect(await readFailure(mailer.send(mail))).toBe(
      "The mail server's certificate comes from an authority that this server does not trust. Set FOYER_SMTP_CA to the authority's certificate.",
    );
    expect(logged()).toMatch(/self[- ]signed/i);
    expect(server.mails()).toEqual([]);
  });

  it.each(["implicit", "starttls"] as const)("accepts a certificate of FOYER_SMTP_CA: %s", async (kind) => {
    const FOYER_SMTP_CA = join(mkdtempSync(join(tmpdir(), "foyer-ca-")), "ca.pem");
    onTestFinished(() => rmSync(dirname(FOYER_SMTP_CA), { recursive: true }));
    writeFileSync(FOYER_SMTP_CA, certificate);
    const server = await startMailServer({ auth, tls: kind });
    await openMailer(server.url, {}, { FOYER_SMTP_CA }).mailer.send(mail);
    expect(server.mails()[0]).toMatchObject({ isSecure: true });
  });

  it("is not used with FOYER_SMTP_TLS=off, although the server offers it", async () => {
    const server = await startMailServer({ tls: "starttls" });
    await openMailer(server.url, {}, { FOYER_SMTP_TLS: "off" }).mailer.send(mail);
    expect(server.mails()[0]).toMatchObject({ isSecure: false });
  });

  it("is required with FOYER_SMTP_TLS=required, so a server without it receives nothing", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url, {}, { FOYER_SMTP_TLS: "required" });
    expect(await readFailure(mailer.send(mail))).toMatch(/^Could not establish a secure connection/);
    expect(server.mails()).toEqual([]);
  });

  it("on a port without TLS fails with what to change", async () => {
    const server = await startMailServer();
    const { mailer } = openMailer(server.url.replace("smtp://", "smtps://"));
    expect(await readFailure(mailer.send(mail))).toMatch(/^The mail server does not start with TLS on this port/);
  });

  it.each([
    ["missing.pem", /FOYER_SMTP_CA: expected the path of a readable file \(ENOENT\)/],
    [import.meta.filename, /FOYER_SMTP_CA: expected the path of certificates in PEM format/],
  ])("does not start with the certificates %j", (FOYER_SMTP_CA, message) => {
    expect(() => readConfig({ FOYER_SMTP_CA })).toThrow(message);
  });
});

describe("a mail server that cannot be reached", () => {
  it.each([
    ["smtp://mail.invalid", "The mail server's name in SMTP_URL could not be resolved."],
    ["smtp://127.0.0.1:1", "The mail server refused the connection. Check the port in SMTP_URL."],
  ])("at %s is explained without its address", async (url, message) => {
    expect(await readFailure(openMailer(url).mailer.send(mail))).toBe(message);
  });
});
