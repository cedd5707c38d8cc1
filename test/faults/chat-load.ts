import { setTimeout as wait } from "node:timers/promises";
import { type ChatStream, joinText, openChat, openStream } from "../chat-client.ts";
import { callThenSay, chunk, type Exchange, eventStream, sayWords } from "../upstream.ts";
import { isBusy, type ServerProcess } from "./fault-site.ts";

/**
 * The ways in which visitors read a reply: to its end, slowly, after a tool call, with an aborted connection, with a
 * request to stop it, or on another connection, which may lead to another process.
 */
const manners = ["read", "read", "tool", "tool", "leave", "stop", "resume", "slow"] as const;
type Manner = (typeof manners)[number];

const TURNS = 3;
const WORDS = 20;
const WORD_MS = 5;
const PIECES = 200;
const PAUSE_MS = 100;
/** How long a server may take to end after a client lost its connection. */
const END_MS = 30_000;

/** A message that the server acknowledged with `message_start`. */
export type Turn = {
  content: string;
  conversationId: string;
  messageId: string;
  /** the reply, if the client read it to its end */
  reply: { stopReason: string; text: string } | null;
};

/**
 * Visitors with conversations of several turns.
 * @param name is part of every message, which makes them unique
 */
export function createChatLoad(agentId: string, { name, clients }: { name: string; clients: number }) {
  const turns: Turn[] = [];
  let asked = 0;

  /** One conversation. `peer` is the process that stops and resumes replies. */
  async function converse(serverProcess: ServerProcess, peer: ServerProcess, signal: AbortSignal) {
    const sessionId = `${name}-${asked}`;
    let headers = {};
    let conversationId: string | undefined;
    for (let turn = 0; turn < TURNS && !signal.aborted; turn++) {
      const manner = manners[asked % manners.length] as Manner;
      const content = `${manner} ${name} ${asked++}`;
      const messages = [{ role: "user", content }];
      const body = {
        agentId,
        sessionId,
        messages,
        resumable: manner === "resume",
        ...(conversationId && { conversationId }),
      };
      const stream = await open(serverProcess, { body, headers, isSlow: manner === "slow" });
      if (isBusy(stream.response.status)) return;
      if (stream.response.status !== 200)
        throw new Error(`chat: ${stream.response.status} ${await stream.response.text()}`);
      const start = await stream.until("message_start");
      if (start.type !== "message_start") return;
      const acknowledged: Turn = {
        content,
        conversationId: start.conversationId,
        messageId: start.messageId,
        reply: null,
      };
      turns.push(acknowledged);
      conversationId = start.conversationId;
      headers = { authorization: `Bearer ${start.conversationToken}` };
      acknowledged.reply = await readReply(stream, manner, () => follow(peer, start.conversationId, headers));
      await wait(PAUSE_MS);
    }
  }

  return {
    /** Everything that was acknowledged. */
    turns,
    /** Chats until the server is gone, or until `signal`. */
    async run(serverProcess: ServerProcess, other: () => ServerProcess, signal: AbortSignal): Promise<void> {
      const isOver = AbortSignal.any([signal, abortOnExit(serverProcess)]);
      const client = async () => {
        while (!isOver.aborted) {
          const peer = other();
          await converse(serverProcess, peer, isOver).catch((error: unknown) =>
            rethrowUnlessServerEnded(error, serverProcess, peer),
          );
          await wait(PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
  };
}

function open(
  serverProcess: ServerProcess,
  { body, headers, isSlow }: { body: object; headers: Record<string, string>; isSlow: boolean },
) {
  if (!isSlow) return openChat(serverProcess.url, body, headers);
  const sent = { "content-type": "application/json", ...headers };
  return openStream(
    `${serverProcess.url}/chat`,
    { method: "POST", headers: sent, body: JSON.stringify(body) },
    WORD_MS,
  );
}

type Following = { stopped: () => Promise<void>; resumed: () => Promise<ChatStream> };

async function readReply(stream: ChatStream, manner: Manner, following: () => Following): Promise<Turn["reply"]> {
  const isCutOff = manner === "leave" || manner === "resume";
  const hasBegun = (isCutOff || manner === "stop") && (await stream.until("content_block_delta").then(isTrue, isFalse));
  if (hasBegun && isCutOff) {
    stream.leave();
    await stream.ended;
    return manner === "leave" ? null : readOutcome(await following().resumed());
  }
  if (hasBegun) await following().stopped();
  return readOutcome(stream);
}

const isTrue = () => true;
const isFalse = () => false;

/** The requests about a running reply, which any process answers. */
function follow({ url }: ServerProcess, conversationId: string, headers: Record<string, string>): Following {
  const address = `${url}/chat/${conversationId}`;
  return {
    async stopped() {
      const { status } = await fetch(`${address}/stop`, { method: "POST", headers });
      if (status !== 200 && !isBusy(status)) throw new Error(`stopping a reply: ${status}`);
    },
    resumed: () => openStream(`${address}/stream`, { headers }),
  };
}

async function readOutcome(stream: ChatStream): Promise<Turn["reply"]> {
  await stream.ended;
  const stop = stream.events.at(-1);
  if (stop?.type === "message_stop") return { stopReason: stop.stopReason, text: joinText(stream.events) };
  if (stream.response.status === 503) return null;
  throw new Error(`The stream (HTTP ${stream.response.status}) ended with ${JSON.stringify(stop)}.`);
}

/** Returns a signal that is aborted when the process has ended. */
function abortOnExit(serverProcess: ServerProcess): AbortSignal {
  const ended = new AbortController();
  void serverProcess.exited.then(() => ended.abort());
  return ended.signal;
}

/** A client may lose its connection only to a process that ends. @throws `error` when both keep running */
async function rethrowUnlessServerEnded(
  error: unknown,
  serverProcess: ServerProcess,
  peer: ServerProcess,
): Promise<void> {
  const processes = wait(END_MS, true, { ref: false });
  if (await Promise.race([processes, serverProcess.exited.then(() => false), peer.exited.then(() => false)]))
    throw error;
}

/** The model of the load: it answers in the manner that the visitor's message begins with. */
export async function answerLoad(exchange: Exchange): Promise<void> {
  const { messages } = JSON.parse(exchange.body) as { messages: Array<{ role: string; content: unknown }> };
  const asked = String(messages.findLast(({ role }) => role === "user")?.content);
  if (asked.startsWith("tool")) return callThenSay("look_up", {}, `Looked up for ${asked}.`)(exchange);
  if (asked.startsWith("slow"))
    return sayWords(...Array.from({ length: PIECES }, (_, n) => `${n} ${"x".repeat(500)} `))(exchange);
  const { send, end } = eventStream(exchange);
  for (let word = 0; word < WORDS && !exchange.response.destroyed; word++) {
    send(chunk({ content: `word${word} ` }));
    await wait(WORD_MS);
  }
  send(chunk({ content: `of ${asked}` }, "stop"));
  send("[DONE]");
  end();
}
