import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Body = Record<string, unknown>;
type Post = { id: number; chatId: string; topic: number | null; replyTo: number | null; text: string };
type SentFile = { method: string; topic: number | null; name: string; content: Buffer };
type Update = { update_id: number } & Body;
type Failure = { status: number; description: string; parameters?: object };

export type TelegramServer = Awaited<ReturnType<typeof startTelegram>>;

const botUser = { id: 4242, is_bot: true, first_name: "Foyer", username: "foyer_test_bot" };
export const telegramToken = "4242:AAF-a-token-of-the-tests-0123456789";

/**
 * A stand-in for api.telegram.org with one bot and one chat. Like the original, it repeats updates until a higher
 * offset confirms them, holds a request for updates open while there are none, lets only the newest of two pollers
 * continue, counts the length of a text in UTF-16 code units, and marks a message in a topic as a reply to the topic's
 * first one.
 */
export async function startTelegram({ isForum = true, chatId = "-1001234" } = {}) {
  const events = new EventEmitter();
  events.setMaxListeners(0);
  const posts: Post[] = [];
  const sentFiles: SentFile[] = [];
  /** the contents of people's files, by their id */
  const files = new Map<string, Buffer>();
  const topics: Array<{ id: number; name: string }> = [];
  const calls: Array<{ method: string; body: Body }> = [];
  /** who wrote each message */
  const authors = new Map<number, { id: number }>();
  const failures = new Map<string, Failure[]>();
  const state = { isForum, chatId, updates: [] as Update[], nextUpdate: 700, nextMessage: 10 };
  let poll: { stop: () => void } | null = null;

  const methods: Record<string, (body: Body) => unknown> = {
    getMe: () => botUser,
    getChat: ({ chat_id: asked }) =>
      String(asked) === state.chatId
        ? { id: Number(state.chatId), type: "supergroup", title: "Support", is_forum: state.isForum }
        : fail(400, "Bad Request: chat not found"),
    createForumTopic({ name }) {
      if (!state.isForum) return fail(400, "Bad Request: the chat is not a forum");
      const id = state.nextMessage++;
      topics.push({ id, name: String(name) });
      authors.set(id, botUser);
      return { message_thread_id: id, name, icon_color: 7322096 };
    },
    getFile: ({ file_id: id }) => ({ file_id: id, file_path: `photos/${id}` }),
    sendMessage(body) {
      const { text, message_thread_id: topic, reply_parameters: reply } = body;
      if (String(body.chat_id) !== state.chatId) return fail(400, "Bad Request: chat not found");
      if (typeof text !== "string" || text.trim() === "") return fail(400, "Bad Request: message text is empty");
      if (text.length > 4_096) return fail(400, "Bad Request: message is too long");
      if (topic !== undefined && !topics.some(({ id }) => id === topic)) {
        return fail(400, "Bad Request: message thread not found");
      }
      const replyTo = (reply as { message_id: number } | undefined)?.message_id ?? null;
      const id = state.nextMessage++;
      authors.set(id, botUser);
      posts.push({ id, chatId: state.chatId, topic: (topic as number | undefined) ?? null, replyTo, text });
      events.emit("change");
      return { message_id: id, text };
    },
  };

  /** @returns the updates after `offset` as soon as there is one, or null when another poller replaced this one */
  async function getUpdates({ offset = 0, timeout = 0 }: { offset?: number; timeout?: number }) {
    poll?.stop();
    state.updates = state.updates.filter(({ update_id: id }) => id >= offset);
    events.emit("change");
    const ended = new AbortController();
    const mine = { stop: () => ended.abort() };
    poll = mine;
    if (timeout > 0 && state.updates.length === 0) {
      const deadline = AbortSignal.timeout(timeout * 1_000);
      const waiting = once(events, "update", { signal: AbortSignal.any([ended.signal, deadline]) });
      await waiting.catch(() => {});
    }
    if (poll === mine) poll = null;
    return ended.signal.aborted ? null : state.updates.slice(0, 100);
  }

  async function answerFile(request: IncomingMessage, response: ServerResponse) {
    const form = await new Response(Buffer.concat(await Array.fromAsync(request)), {
      headers: { "content-type": request.headers["content-type"] ?? "" },
    }).formData();
    const method = /\w+$/.exec(request.url ?? "")?.[0] ?? "";
    const file = form.get(method === "sendPhoto" ? "photo" : "document");
    if (!(file instanceof File)) throw new Error("no file");
    const topic = form.get("message_thread_id");
    const content = Buffer.from(await file.arrayBuffer());
    sentFiles.push({ method, topic: topic === null ? null : Number(topic), name: file.name, content });
    const id = state.nextMessage++;
    authors.set(id, botUser);
    events.emit("change");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ok: true, result: { message_id: id } }));
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const [, fileToken, fileId = ""] = /^\/file\/bot([^/]+)\/photos\/(\w+)$/.exec(request.url ?? "") ?? [];
    if (fileToken === telegramToken) return void response.end(files.get(fileId));
    if (request.headers["content-type"]?.startsWith("multipart/form-data")) return answerFile(request, response);
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
    const body = await readBody(request);
    calls.push({ method, body });
    events.emit("change");
    const send = (status: number, content: object) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(content));
    };
    const refuse = ({ status, description, parameters }: Failure) =>
      send(status, { ok: false, error_code: status, description, ...(parameters ? { parameters } : {}) });
    if (token !== telegramToken) return refuse({ status: 401, description: "Unauthorized" });
    const failure = failures.get(method)?.shift();
    if (failure) return refuse(failure);
    if (method === "getUpdates") {
      const updates = await getUpdates(body);
      if (updates) return send(200, { ok: true, result: updates });
      const description =
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
      return refuse({ status: 409, description });
    }
    const result = methods[method]?.(body) ?? fail(404, "Not Found");
    if (isFailure(result)) refuse(result);
    else send(200, { ok: true, result });
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    chatId,
    posts,
    sentFiles,
    files,
    topics,
    calls,
    state,
    /** The texts posted in a topic, oldest first. */
    textsIn: (topic: number) => posts.filter((post) => post.topic === topic).map(({ text }) => text),
    /** Makes the next calls of the method fail like this, in order. */
    failNext(method: string, failure: Failure) {
      failures.set(method, [...(failures.get(method) ?? []), failure]);
    },
    /** Posts a person's message in the chat. `from` is the id of a Telegram user. @returns the message's id */
    say({ from, topic, replyTo, ...more }: { from: number; topic?: number; replyTo?: number } & Body): number {
      const id = state.nextMessage++;
      const author = { id: from, is_bot: false, first_name: `User ${from}` };
      authors.set(id, author);
      const repliedTo = replyTo ?? topic;
      const message = {
        message_id: id,
        date: 1_700_000_000,
        chat: { id: Number(state.chatId), type: "supergroup" },
        from: author,
        ...(topic === undefined ? {} : { message_thread_id: topic, is_topic_message: true }),
        ...(repliedTo === undefined
          ? {}
          : { reply_to_message: { message_id: repliedTo, from: authors.get(repliedTo) } }),
        ...more,
      };
      this.update({ message });
      return id;
    },
    /** Posts like a server that is killed before it receives the response. @returns the post's id */
    postAsBot(text: string): number {
      methods.sendMessage?.({ chat_id: state.chatId, text });
      return posts.at(-1)?.id ?? 0;
    },
    update(content: Body) {
      state.updates.push({ update_id: state.nextUpdate++, ...content });
      events.emit("update");
    },
    /** Resolves when `condition` holds. It is checked after every call and post. */
    async until(condition: () => boolean) {
      while (!condition()) await once(events, "change");
    },
    /** Whether every update so far was confirmed by a higher offset. */
    isConfirmed: () => state.updates.length === 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function fail(status: number, description: string): Failure {
  return { status, description };
}

function isFailure(result: unknown): result is Failure {
  return typeof result === "object" && result !== null && "status" in result && "description" in result;
}

async function readBody(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}");
}
