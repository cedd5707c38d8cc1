import type { Handler } from "@foyer/contract";
import { conversationEvents } from "../../packages/sdk/src/live-streams.ts";
import { createRequest } from "../../packages/sdk/src/request.ts";
import { openChat } from "../chat-client.ts";
import { isBusy, type Server } from "./fault-site.ts";
import { type Answer, request } from "./handoff-site.ts";

/** A conversation with a person: what was acknowledged, and what the visitor's client has received. */
export type Talk = {
  id: string;
  token: string;
  /** what the team has sent */
  fromMember: Set<string>;
  /** what a server acknowledged */
  fromVisitor: Set<string>;
  /** the number of posts in the team chat when the conversation began */
  postsBefore: number;
  /** Whether a member or the visitor may have ended the wait, in which case no notice has to be sent. */
  isWaitOver: boolean;
  /** The newest handler that the client has received. */
  handler: Handler | null;
  /** The ids of the messages that the client has received, by their texts. A message that arrived twice has two ids. */
  received: Map<string, string[]>;
  /** Why the client has stopped, unless the conversation is back with the agent or the visitor has left. */
  failure: unknown;
  /** The visitor closes the page. */
  leave(): void;
};

/** Thrown when the server is gone or too busy to respond, so it is unknown whether the request was carried out. */
export class NotAcknowledgedError extends Error {}

export async function requireAcknowledged(answer: Promise<Answer>): Promise<void> {
  const { status, body } = await answer;
  if (isBusy(status)) throw new NotAcknowledgedError();
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
}

/** The SDK calls this address, which is replaced by that of the running server. */
const ANY_SERVER = "http://foyer.test";

/** Visitors of an agent. Their clients use the SDK, and reconnect to the running server. */
export function createVisitors(agentId: string) {
  let running: Server | undefined;
  const send = createRequest({
    baseUrl: ANY_SERVER,
    fetch: (url, init) => fetch(`${url}`.replace(ANY_SERVER, running?.url ?? ANY_SERVER), init),
  });

  /** Sends a message and waits for the end of the reply. */
  async function sendMessage(server: Server, content: string, talk?: Talk): Promise<Pick<Talk, "id" | "token">> {
    const body = { agentId, messages: [{ role: "user", content }], ...(talk ? { conversationId: talk.id } : {}) };
    const stream = await openChat(server.url, body, talk ? { authorization: `Bearer ${talk.token}` } : {});
    if (isBusy(stream.response.status)) throw new NotAcknowledgedError();
    if (!stream.response.ok) throw new Error(`chatting: ${stream.response.status} ${await stream.response.text()}`);
    await stream.ended;
    const start = stream.events.find((event) => event.type === "message_start");
    if (start?.type !== "message_start" || stream.events.at(-1)?.type !== "message_stop")
      throw new NotAcknowledgedError();
    return { id: start.conversationId, token: start.conversationToken ?? "" };
  }

  async function follow(talk: Talk, signal: AbortSignal): Promise<void> {
    for await (const event of conversationEvents(send, talk, { signal, waits: [50] })) {
      if (event.type === "ownership") talk.handler = event.ownership.handler;
      if (event.type !== "message") continue;
      const { id, content } = event.message;
      talk.received.set(content, [...(talk.received.get(content) ?? []), id]);
    }
  }

  return {
    /** The clients reach this server from now on. */
    use(server: Server): void {
      running = server;
    },
    say: sendMessage,
    /** Begins a conversation with the agent. */
    async begin(server: Server, postsBefore: number): Promise<Talk> {
      return {
        ...(await sendMessage(server, "Hello?")),
        fromMember: new Set(),
        fromVisitor: new Set(),
        postsBefore,
        isWaitOver: false,
        handler: null,
        received: new Map(),
        failure: null,
        leave: () => {},
      };
    },
    /** Asks for a person, or stops waiting (`DELETE`). */
    handoff: (server: Server, talk: Talk, method: "POST" | "DELETE") =>
      requireAcknowledged(
        request(server, method, `/conversations/${talk.id}/handoff`, {
          headers: { authorization: `Bearer ${talk.token}` },
          ...(method === "POST" ? { body: {} } : {}),
        }),
      ),
    /** Starts the client of a visitor who has asked for a person. */
    follow(talk: Talk): void {
      const left = new AbortController();
      talk.leave = () => left.abort();
      follow(talk, left.signal).catch((error: unknown) => {
        talk.failure = error;
      });
    },
  };
}
