import type { Socket } from "node:net";
import { Agent, type buildConnector, WebSocket } from "undici";
import { explainFailure, OutboundError } from "./outbound-error.ts";

/** An open WebSocket. */
export type OutboundSocket = {
  /**
   * Text messages in the order of arrival. The iteration ends when either side closes the connection or the connection
   * breaks.
   */
  messages: AsyncIterable<string>;
  /** Sends a text message. Does nothing once the connection is closed. */
  send(text: string): void;
  /** Closes the connection immediately. */
  close(): void;
};

/** The maximum number of undelivered messages in memory. A peer that sends more is disconnected. */
const MAX_PENDING_MESSAGES = 1_000;
const limits = { maxPayloadSize: 1024 * 1024, maxFragments: 1_000 };

type Options = {
  /** a `ws:` or `wss:` URL that the caller has checked */
  url: URL;
  connect: buildConnector.connector;
  /** A connection that receives nothing for this long is considered broken. */
  idleMs: number;
  signal: AbortSignal;
};

/**
 * Opens a WebSocket over a guarded connector. Each WebSocket has its own agent, because undici hands the socket of an
 * upgrade over to the WebSocket and cannot close it afterwards.
 * @throws OutboundError when it cannot be opened, and the signal's reason after an abort
 */
export async function openWebSocket({ url, connect, idleMs, signal }: Options): Promise<OutboundSocket> {
  signal.throwIfAborted();
  let socket: Socket | undefined;
  let connectionError: unknown = null;
  const agent = new Agent({
    allowH2: false,
    webSocket: limits,
    connect: (options, callback) =>
      connect(options, (...result) => {
        const [error, connectedSocket] = result;
        if (error) {
          connectionError = error;
          return callback(error, null);
        }
        socket = connectedSocket;
        connectedSocket.setTimeout(idleMs, () => connectedSocket.destroy());
        callback(null, connectedSocket);
      }),
  });
  const webSocket = new WebSocket(url, { dispatcher: agent });
  const queue = createMessageQueue();
  const close = () => {
    socket?.destroy();
    void agent.destroy();
    queue.end();
  };
  const opened = Promise.withResolvers<void>();
  const onAbort = () => {
    close();
    opened.reject(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  webSocket.addEventListener("open", () => opened.resolve());
  webSocket.addEventListener("message", ({ data }) => {
    if (typeof data === "string" && !queue.add(data)) close();
  });
  webSocket.addEventListener("error", ({ error }) => {
    connectionError ??= error;
  });
  webSocket.addEventListener("close", () => {
    signal.removeEventListener("abort", onAbort);
    opened.reject(createOpenError(connectionError, url));
    close();
  });
  await opened.promise;
  return { messages: queue.messages, send: (text) => webSocket.send(text), close };
}

function createOpenError(problem: unknown, url: URL): OutboundError {
  if (problem instanceof OutboundError) return problem;
  if (problem instanceof Error && "code" in problem) return explainFailure(problem, url);
  return new OutboundError("unreachable", `${url.host} did not accept a WebSocket connection.`, { cause: problem });
}

function createMessageQueue() {
  const pendingMessages: string[] = [];
  let isEnded = false;
  let wake = () => {};

  async function* read() {
    while (true) {
      const next = pendingMessages.shift();
      if (next !== undefined) yield next;
      else if (isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    messages: read(),
    /** @returns false when too many messages are waiting */
    add(text: string): boolean {
      pendingMessages.push(text);
      wake();
      return pendingMessages.length <= MAX_PENDING_MESSAGES;
    },
    end() {
      isEnded = true;
      wake();
    },
  };
}
