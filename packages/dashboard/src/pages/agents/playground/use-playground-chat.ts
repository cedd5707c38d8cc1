import type { Attachment } from "@foyer/contract";
import { attach, type ConversationKey, createRequest, FoyerError, stopChat, streamChat } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh } from "../../../data/queries.ts";
import { serverUrl } from "../../../data/server-address.ts";
import { applyEvent, createTurn, type PlaygroundTurn, withMemberDetails } from "./playground-state.ts";
import { isSameVisitor, ownVisitor, type PlaygroundVisitor, usePlaygroundVisitor } from "./use-playground-visitor.ts";

/** The chat is a public endpoint. The session only marks the conversation as a test, which analytics leave out. */
const request = createRequest({ baseUrl: serverUrl(), credentials: "same-origin" });

const isInvalidToken = (error: unknown) => error instanceof FoyerError && error.code === "INVALID_USER_TOKEN";

const isMissing = (error: unknown, what: string) =>
  error instanceof FoyerError && error.status === 404 && error.message.startsWith(what);

type Running = { abort: AbortController; isStopping: boolean };

/**
 * A conversation with an agent as a visitor would have it, by default as the user. It is stored with the other
 * conversations.
 */
export function usePlaygroundChat(agentId: string) {
  const [turns, setTurns] = useState<readonly PlaygroundTurn[]>([]);
  const [conversation, setConversation] = useState<ConversationKey | null>(null);
  const user = useQuery(endpointQuery("getSession")).data?.user;
  const who = usePlaygroundVisitor(agentId, user);
  const running = useRef<Running | null>(null);
  /** Owns the uploads, because the first message has no conversation yet. */
  const [sessionId] = useState(createSessionId);
  const agent = useQuery(endpointQuery("getAgent", { id: agentId })).data;
  const isRunning = turns.at(-1)?.state === "running";

  // Leaving the page also stops reading the reply. Another agent starts a new conversation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another agent starts a new conversation
  useEffect(() => {
    setTurns([]);
    setConversation(null);
    who.setVisitor(ownVisitor);
    return () => running.current?.abort.abort();
  }, [agentId]);

  const edit = (key: number, change: (turn: PlaygroundTurn) => PlaygroundTurn) =>
    setTurns((all) => all.map((turn) => (turn.key === key ? change(turn) : turn)));

  async function sendMessage(said: string, attached: readonly Attachment[] = []): Promise<void> {
    const key = performance.now();
    const own: Running = { abort: new AbortController(), isStopping: false };
    running.current = own;
    let begunId: string | null = null;
    setTurns((all) => [...all, createTurn(key, { said, attached }, key)]);
    const onReconnect = () => edit(key, (turn) => ({ ...turn, isReconnecting: true }));
    const ask = async (hasNewToken: boolean, into = conversation) => {
      const body = {
        agentId,
        messages: [{ role: "user" as const, content: said }],
        conversationId: into?.id ?? null,
        ...(attached.length > 0 ? { sessionId, attachments: attached.map(({ id }) => id) } : {}),
        ...(await who.messageFields({ hasNewToken })),
      };
      const options = { token: into?.token, signal: own.abort.signal, onReconnect };
      for await (const event of streamChat(request, body, options)) {
        if (event.type === "message_start" && event.conversationToken) {
          const begun = { id: event.conversationId, token: event.conversationToken };
          begunId = begun.id;
          setConversation(begun);
          if (own.isStopping) void stopChat(request, begun).catch(() => {});
        }
        edit(key, (turn) => applyEvent(turn, event, performance.now()));
      }
    };
    try {
      // The identity secret may have been replaced since the token was signed.
      await ask(false).catch((error) => {
        if (isInvalidToken(error)) return ask(true);
        if (!conversation || !isMissing(error, "Conversation")) throw error;
        // A member has deleted the conversation, so the message begins a new one.
        setConversation(null);
        setTurns((all) => all.slice(-1));
        return ask(false, null);
      });
    } catch (error) {
      const problem = error instanceof FoyerError ? error.message : String(error);
      // An upload expires. Trying again sends the words without it.
      const files = isMissing(error, "Attachment") ? { attached: [] } : {};
      const ended = { ...files, state: "failed" as const, problem, isReconnecting: false, endedAt: performance.now() };
      edit(key, (turn) => ({ ...turn, ...ended }));
    }
    // The stream contains only what visitors may see. The stored reply also contains details for members.
    if (begunId !== null) {
      const stored = await api.getConversation({ id: begunId }).catch(() => null);
      const reply = stored?.messages.at(-1);
      if (reply) edit(key, (turn) => withMemberDetails(turn, reply));
    }
    void refresh("listConversations");
  }

  /** Makes the next message start a new conversation. */
  function restart() {
    running.current?.abort.abort();
    setTurns([]);
    setConversation(null);
  }

  return {
    /** Undefined until it has loaded. */
    agent,
    turns,
    conversation,
    isRunning,
    say: sendMessage,
    /** Uploads a file for the next message. */
    upload: (file: File, signal: AbortSignal) => attach(request, file, { agentId, sessionId, signal }),
    /** Stops the reply. One that has not started yet is stopped as soon as it starts. */
    stop() {
      if (running.current) running.current.isStopping = true;
      if (conversation) void stopChat(request, conversation).catch(() => {});
    },
    restart,
    visitor: who.visitor,
    userToken: who.userToken,
    /** A different visitor starts a new conversation, because a conversation belongs to its visitor. */
    setVisitor(next: PlaygroundVisitor) {
      who.setVisitor(next);
      if (!isSameVisitor(who.visitor, next)) restart();
    },
  };
}

export type PlaygroundChatState = ReturnType<typeof usePlaygroundChat>;

/** 128 random bits. `crypto.randomUUID` is not available on pages served over plain HTTP. */
function createSessionId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
