import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { type ReadMail, readMail } from "./read-mail.ts";

/** `from` and `to` are the envelope's; `isSecure` means that it arrived over TLS. */
export type ReceivedMail = ReadMail & { from: string; to: string[]; isSecure: boolean; raw: string };

type Answers = {
  /** a response such as `550 No such user` to the recipient, or to the whole email */
  recipient?: string;
  mail?: string;
  /** stops responding: from the start, or after it has received the email */
  silentAt?: "start" | "mail";
  /** disconnects before it accepts the email, or after it has received it */
  hangUpAt?: "recipient" | "mail";
};

export type SmtpTestServer = Awaited<ReturnType<typeof startSmtpServer>>;

/**
 * A real mail server on a port of 127.0.0.1 that stores what it receives. With `auth` it accepts mail only from that
 * user. With `tls` it starts with TLS or offers it; clients must trust `certificate`. `script` makes it refuse or hang.
 */
export async function startSmtpServer(
  options: { auth?: { user: string; pass: string }; tls?: "implicit" | "starttls" } = {},
) {
  const { auth, tls } = options;
  const received: ReceivedMail[] = [];
  const waiting: Array<(mail: ReceivedMail) => void> = [];
  const seen = { connections: 0, greetings: [] as string[] };
  let answers: Answers = {};

  const handlers: SMTPServerOptions = {
    onConnect(_session, callback) {
      if (answers.silentAt !== "start") callback();
    },
    onMailFrom(_address, { hostNameAppearsAs }, callback) {
      seen.greetings.push(hostNameAppearsAs);
      callback();
    },
    onAuth({ username, password }, _session, callback) {
      const isRight = username === auth?.user && password === auth?.pass;
      if (isRight) callback(null, { user: username });
      // Some servers quote their input in a response. Such a quote must not be passed on.
      else callback(answer(`535 ${password} is not the password of ${username}`));
    },
    onRcptTo(_address, _session, callback) {
      if (answers.hangUpAt === "recipient") hangUp();
      else callback(answer(answers.recipient));
    },
    onData(stream, session, callback) {
      void text(stream).then((raw) => {
        if (answers.mail) return callback(answer(answers.mail));
        keep(raw, session);
        if (answers.hangUpAt === "mail") hangUp();
        else if (answers.silentAt !== "mail") callback();
      });
    },
  };

  function keep(raw: string, { envelope, secure }: SMTPServerSession) {
    const from = envelope.mailFrom ? envelope.mailFrom.address : "";
    const to = envelope.rcptTo.map(({ address }) => address);
    const mail = { ...readMail(raw), from, to, isSecure: secure, raw };
    const listener = waiting.shift();
    received.push(mail);
    listener?.(mail);
  }

  const server = new SMTPServer({
    ...handlers,
    key: certificateKey,
    cert: certificate,
    secure: tls === "implicit",
    authMethods: ["PLAIN", "LOGIN"],
    allowInsecureAuth: true,
    authOptional: !auth,
    disableReverseLookup: true,
    closeTimeout: 100,
    disabledCommands: [...(auth ? [] : ["AUTH"]), ...(tls === "starttls" ? [] : ["STARTTLS"])],
  });
  // Some tests disconnect deliberately during an exchange.
  server.on("error", () => {});
  server.server.on("connection", () => {
    seen.connections += 1;
  });
  const hangUp = () => {
    for (const connection of server.connections) connection.close();
  };
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const credentials = auth ? `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.pass)}@` : "";

  return {
    url: `${tls === "implicit" ? "smtps" : "smtp"}://${credentials}127.0.0.1:${port}`,
    seen,
    mails: (): readonly ReceivedMail[] => received,
    /** Resolves with the next email that arrives. */
    waitForMail: () => new Promise<ReceivedMail>((resolve) => waiting.push(resolve)),
    /** Sets how the server responds from now on. `{}` restores the default. */
    script(next: Answers) {
      answers = next;
    },
    async close() {
      hangUp();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Converts `550 No such user` to the error that makes the server respond with it. */
function answer(line: string | undefined): Error | null {
  if (line === undefined) return null;
  return Object.assign(new Error(line.slice(4)), { responseCode: Number(line.slice(0, 3)) });
}

/** Self-signed for 127.0.0.1, valid from 2020 to 2120; used only in these tests. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBYDCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtGb3llciB0
ZXN0czAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLRm95ZXIgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQVSfIVWcAq
PScogrkMzRpB3PkiuTg1KN1/0ZjaIhoW0S69CO0IzWwslTZg+PwVrCpVSuzRMYce
cS31dBqsW78ho0MwQTAPBgNVHREECDAGhwR/AAABMA8GA1UdEwEB/wQFMAMBAf8w
HQYDVR0OBBYEFEaUG6JkN+HVn36LInOXYhDxUGTOMAoGCCqGSM49BAMCA0gAMEUC
IQDsMTZ6lgPRg7C2iQXNqhPTDZOuvxXcuTZtHZQnPadZ0AIgPZs1zaeevGafLlEy
jbthwYZYsUX9qIjm41dA0QvLLv4=
-----END CERTIFICATE-----
`;
export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgY6rW9204v5rStxTG
2IN8k+gMCfsNc3K72VUZqXSBD8uhRANCAAQVSfIVWcAqPScogrkMzRpB3PkiuTg1
KN1/0ZjaIhoW0S69CO0IzWwslTZg+PwVrCpVSuzRMYcecS31dBqsW78h
-----END PRIVATE KEY-----
`;
