import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

type Body = Record<string, string>;
type Post = { ts: string; channel: string; thread: string | null; text: string };
type SentFile = { name: string; channel: string; thread: string | null; content: Buffer };
type Envelope = { envelope_id: string } & Record<string, unknown>;

export const slackTokens = { botToken: "xoxb-1-2-botsecret", appToken: "xapp-1-2-appsecret" };

/**
 * A stand-in for Slack with one app in Socket Mode and one channel. Like the original, it repeats an event over the
 * next connection until its envelope is acknowledged.
 */
export async function startSlack({ channelId = "C0SUPPORT" } = {}) {
  const events = new EventEmitter();
  events.setMaxListeners(0);
  const posts: Post[] = [];
  const sentFiles: SentFile[] = [];
  /** what the app has uploaded and not yet shared, by its id */
  const uploads = new Map<string, { name: string; content: Buffer }>();
  /** the contents of people's files, by their id */
  const files = new Map<string, Buffer>();
  /** the user who wrote each message */
  const authors = new Map<string, string>();
  const sockets = new Set<Socket>();
  const failures = new Map<string, Array<{ status?: number; headers?: Record<string, string>; body: object }>>();
  const state = { isMember: true, pending: [] as Envelope[], clock: 1_700_000_000, connections: 0 };
  const nextTs = () => `${state.clock++}.000100`;

  const methods: Record<string, (body: Body) => object> = {
    "auth.test": () => ({ ok: true, user: "foyer", user_id: "UBOT", bot_id: "BBOT", team: "Test" }),
    "apps.connections.open": () => ({ ok: true, url: `ws://127.0.0.1:${port()}/link` }),
    "conversations.info": ({ channel }) =>
      channel === channelId
        ? { ok: true, channel: { id: channelId, name: "support", is_member: state.isMember } }
        : { ok: false, error: "channel_not_found" },
    "chat.postMessage"({ channel = "", thread_ts: thread = null as never, text = "" }) {
      if (channel !== channelId) return { ok: false, error: "channel_not_found" };
      const ts = nextTs();
      authors.set(ts, "UBOT");
      posts.push({ ts, channel, thread, text });
      events.emit("change");
      return { ok: true, channel, ts };
    },
    "files.getUploadURLExternal"({ filename: name = "" }) {
      const id = `F${uploads.size + 1}`;
      uploads.set(id, { name, content: Buffer.alloc(0) });
      return { ok: true, upload_url: `http://127.0.0.1:${port()}/upload/${id}`, file_id: id };
    },
    "files.completeUploadExternal"({ files: shared = "[]", channel_id: channel = "", thread_ts: thread }) {
      for (const { id } of JSON.parse(shared) as Array<{ id: string }>) {
        const upload = uploads.get(id);
        if (!upload || upload.content.length === 0) return { ok: false, error: "file_not_found" };
        sentFiles.push({ ...upload, channel, thread: thread ?? null });
      }
      events.emit("change");
      return { ok: true };
    },
  };

  /** Answers calls to the addresses of files. @returns false for all other calls */
  function answerFile(request: IncomingMessage, response: ServerResponse, content: Buffer): boolean {
    const [, kind, id = ""] = /^\/(upload|file)\/(\w+)$/.exec(request.url ?? "") ?? [];
    if (kind === undefined) return false;
    const file = files.get(id);
    const upload = uploads.get(id);
    if (kind === "upload" && upload) {
      upload.content = content;
      response.end("OK");
    } else if (file && request.headers.authorization === `Bearer ${slackTokens.botToken}`) {
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(file);
    } else {
      response.writeHead(200, { "content-type": "text/html" }).end("<title>Sign in</title>");
    }
    return true;
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const method = (request.url ?? "/").slice(1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (answerFile(request, response, Buffer.concat(chunks))) return;
    const body = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString("utf8")));
    const token = method === "apps.connections.open" ? slackTokens.appToken : slackTokens.botToken;
    const isAllowed = request.headers.authorization === `Bearer ${token}`;
    const failure = failures.get(method)?.shift();
    const content = failure?.body ??
      (isAllowed ? methods[method]?.(body) : { ok: false, error: "invalid_auth" }) ?? { ok: false };
    response.writeHead(failure?.status ?? 200, { "content-type": "application/json", ...failure?.headers });
    response.end(JSON.stringify(content));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.on("upgrade", (request, socket: Socket) => {
    const accept = createHash("sha1").update(
      `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest("base64")}\r\n\r\n`,
    );
    sockets.add(socket);
    state.connections++;
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      events.emit("change");
    });
    readFrames(socket, (text) => {
      const { envelope_id: id } = JSON.parse(text);
      state.pending = state.pending.filter(({ envelope_id: other }) => other !== id);
      events.emit("change");
    });
    writeText(socket, JSON.stringify({ type: "hello", num_connections: 1 }));
    for (const envelope of state.pending) writeText(socket, JSON.stringify(envelope));
    events.emit("change");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = () => (server.address() as AddressInfo).port;
  const broadcast = (message: object) => {
    for (const socket of sockets) writeText(socket, JSON.stringify(message));
  };

  return {
    url: `http://127.0.0.1:${port()}`,
    channelId,
    posts,
    sentFiles,
    /** Stores a person's file. @returns the file as events about messages describe it */
    createFile(name: string, content: Buffer) {
      const id = `P${files.size + 1}`;
      files.set(id, content);
      return { id, name, url_private_download: `http://127.0.0.1:${port()}/file/${id}` };
    },
    state,
    failNext(method: string, failure: { status?: number; headers?: Record<string, string>; body: object }) {
      failures.set(method, [...(failures.get(method) ?? []), failure]);
    },
    /** Posts a person's message in the channel. @returns the message's `ts` */
    say({ user, thread, ...more }: { user: string; thread?: string } & Record<string, unknown>): string {
      const ts = nextTs();
      authors.set(ts, user);
      const event = {
        type: "message",
        channel: channelId,
        user,
        ts,
        event_ts: ts,
        ...(thread === undefined ? {} : { thread_ts: thread, parent_user_id: authors.get(thread) }),
        ...more,
      };
      const payload = { type: "event_callback", event_id: `Ev${ts}`, event };
      const envelope = { envelope_id: `env-${ts}`, type: "events_api", accepts_response_payload: false, payload };
      state.pending.push(envelope);
      broadcast(envelope);
      return ts;
    },
    /** Posts like a server that is killed before it receives the response. @returns the post's id */
    postAsBot(text: string): string {
      methods["chat.postMessage"]?.({ channel: channelId, text });
      return posts.at(-1)?.ts ?? "";
    },
    /** Asks the client to open a new connection, as Slack does every few hours. */
    refresh() {
      broadcast({ type: "disconnect", reason: "refresh_requested" });
    },
    /** Breaks every connection without a close frame. */
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    connected: () => sockets.size > 0,
    isAcknowledged: () => state.pending.length === 0,
    async until(condition: () => boolean) {
      while (!condition()) await once(events, "change");
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** An unmasked text frame of up to 65,535 bytes (RFC 6455, section 5.2). */
function writeText(socket: Socket, text: string) {
  const body = Buffer.from(text);
  const head =
    body.length < 126
      ? Buffer.from([0x81, body.length])
      : Buffer.from([0x81, 126, body.length >> 8, body.length & 255]);
  socket.write(Buffer.concat([head, body]));
}

/** Calls `onText` for each masked text frame of the client, and ends the connection after its close frame. */
function readFrames(socket: Socket, onText: (text: string) => void) {
  let rest = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 6) {
      const short = (rest[1] ?? 0) & 127;
      const start = short === 126 ? 4 : 2;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < start + 4 + length) return;
      const mask = rest.subarray(start, start + 4);
      const body = Buffer.from(
        rest.subarray(start + 4, start + 4 + length).map((byte, at) => byte ^ (mask[at & 3] ?? 0)),
      );
      const opcode = (rest[0] ?? 0) & 15;
      rest = rest.subarray(start + 4 + length);
      if (opcode === 1) onText(body.toString("utf8"));
      if (opcode === 8) socket.end();
    }
  });
}
