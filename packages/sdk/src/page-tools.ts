import type { ChatEvent, clientToolLimits, ToolCallResult, ToolClaim } from "@foyer/contract";
import type { ConversationKey, StreamEvent } from "./chat-stream.ts";
import { FoyerError } from "./foyer-error.ts";
import type { Request } from "./request.ts";
import { toJson } from "./to-json.ts";

/** A call of a tool that your page runs. */
export type PageToolCall = {
  /** The id of the call. */
  id: string;
  name: string;
  /** The arguments that the model chose, validated against the tool's input schema. */
  input: Record<string, unknown>;
  /** Aborts when the reply no longer waits for the call. */
  signal: AbortSignal;
};

export type PageTool = {
  /** Runs a call. Its return value is sent to the agent as JSON of at most 16 KB. An exception is sent as an error. */
  run: (input: Record<string, unknown>) => unknown;
  /** Asks the visitor before the tool runs. */
  confirm?: (call: PageToolCall) => boolean | Promise<boolean>;
};

type Limits = typeof clientToolLimits;

/** The delays before each further attempt to reach the server, in milliseconds. */
const RETRY_DELAYS_MS = [500, 2_000, 5_000];
/** The types of the limits are those of the contract, so that the compiler refuses other values. */
const MAX_ERROR_CHARACTERS: Limits["errorCharacters"] = 1_000;
/**
 * The server's limit for a result, in UTF-8 bytes of JSON. It is checked here as well, because browsers do not send a
 * `keepalive` request of more than 64 KiB, so the server could not reject a larger result.
 */
const MAX_RESULT_BYTES: Limits["resultBytes"] = 16_384;
/** The error that is sent for a call that the visitor does not allow. */
export const DECLINED = "The visitor declined.";
/** Why a call's signal aborts when its result is known or the reply has ended. */
const OVER = "The reply no longer waits for the call.";

/** Claims a call before it runs. @throws FoyerError `CONFLICT` when it must not be run here */
export async function claimToolCall(request: Request, { id, token }: ConversationKey, body: ToolClaim): Promise<void> {
  await request(`/chat/${id}/tool-claims`, { method: "POST", token, body });
}

/** Sends the result of a call, even while the page is being closed. The same result may be sent again. */
export async function sendToolResult(
  request: Request,
  { id, token }: ConversationKey,
  body: ToolCallResult,
): Promise<void> {
  await request(`/chat/${id}/tool-results`, { method: "POST", token, body, keepalive: true });
}

type ToolUse = Extract<ChatEvent, { type: "tool_use_start" }>;

export type PageToolRunner = ReturnType<typeof createPageToolRunner>;

/**
 * Runs the calls that appear in a reply's events. Pass every event to `see`. A call is claimed under its own id before
 * it runs, so that neither another tab nor a repeated stream can run it a second time.
 */
export function createPageToolRunner(
  request: Request,
  toolOf: (name: string) => PageTool | undefined,
  sessionId?: string | null,
) {
  const pending = new Map<string, AbortController>();
  /** Calls of tools that the page does not have yet. */
  const unknown = new Map<string, { event: ToolUse; conversation: ConversationKey }>();
  const abortAll = (reason?: string) => {
    for (const call of pending.values()) call.abort(reason);
    pending.clear();
    unknown.clear();
  };

  function start(event: ToolUse, conversation: ConversationKey): void {
    const tool = toolOf(event.name);
    if (!tool) {
      unknown.set(event.id, { event, conversation });
      return;
    }
    const over = new AbortController();
    pending.set(event.id, over);
    const { id, name } = event;
    const call = { id, name, input: (event.input ?? {}) as Record<string, unknown>, signal: over.signal };
    // When a finished reply is read again, the call's result follows in the same chunk, so the run waits for one turn
    // of the event loop.
    setTimeout(() => over.signal.aborted || runCall(request, conversation, { tool, call, sessionId }).catch(() => {}));
  }

  return {
    see(event: ChatEvent, conversation: ConversationKey | null): void {
      if (event.type === "message_stop") abortAll(OVER);
      if (event.type === "tool_result") {
        pending.get(event.toolUseId)?.abort(OVER);
        pending.delete(event.toolUseId);
        unknown.delete(event.toolUseId);
      }
      if (event.type === "tool_use_start" && event.executionType === "client" && conversation) {
        start(event, conversation);
      }
    },
    /** Runs the calls that have waited for this tool. A page may add its tools after it has resumed a reply. */
    added(name: string): void {
      // Iterate over a copy, because a call whose tool is still missing is added again.
      for (const [id, { event, conversation }] of [...unknown]) {
        if (event.name !== name) continue;
        unknown.delete(id);
        start(event, conversation);
      }
    },
    /**
     * Withdraws pending questions to the visitor. Calls that the visitor has allowed keep running and send their
     * results.
     */
    stop: () => abortAll(),
  };
}

/** Yields the events of a stream and runs the tools that they call. */
export async function* withPageTools(
  request: Request,
  events: AsyncIterable<StreamEvent>,
  {
    tools,
    known,
    sessionId,
  }: {
    tools: Readonly<Record<string, PageTool>>;
    known: ConversationKey | null;
    sessionId: string | null | undefined;
  },
): AsyncGenerator<StreamEvent, void, undefined> {
  const runner = createPageToolRunner(
    request,
    (name) => (Object.hasOwn(tools, name) ? tools[name] : undefined),
    sessionId,
  );
  let conversation = known;
  try {
    for await (const event of events) {
      if (event.type === "message_start" && event.conversationToken !== null) {
        conversation = { id: event.conversationId, token: event.conversationToken };
      }
      runner.see(event, conversation);
      yield event;
    }
  } finally {
    runner.stop();
  }
}

async function runCall(
  request: Request,
  conversation: ConversationKey,
  { tool, call, sessionId }: { tool: PageTool; call: PageToolCall; sessionId: string | null | undefined },
) {
  const toolUseId = call.id;
  const refusal = await findRefusal(tool, call);
  if (call.signal.aborted) return;
  const claim = { toolUseId, claimId: randomId(), ...(sessionId ? { sessionId } : {}) };
  await retryWhileUnavailable(() => claimToolCall(request, conversation, claim));
  // After this claim no other tab can run the call, so it runs even if the page has stopped reading the stream.
  if (call.signal.reason === OVER) return;
  const answer = refusal ?? (await runHandler(tool, call));
  const send = (body: object) =>
    retryWhileUnavailable(() => sendToolResult(request, conversation, { toolUseId, ...body }));
  await send(answer).catch((error) => {
    if (!(error instanceof FoyerError) || error.status !== 400) throw error;
    reportError(error);
    return send({ error: `The server rejected the page's result: ${error.message}`.slice(0, MAX_ERROR_CHARACTERS) });
  });
}

/** Asks the visitor if the tool requires it. Null when the tool may run. */
async function findRefusal(tool: PageTool, call: PageToolCall): Promise<{ error: string } | null> {
  try {
    return !tool.confirm || (await tool.confirm(call)) ? null : { error: DECLINED };
  } catch (error) {
    return toFailure(error);
  }
}

async function runHandler(tool: PageTool, { input }: PageToolCall): Promise<{ result: unknown } | { error: string }> {
  try {
    const result = (await tool.run(input)) ?? null;
    // Throws for values that JSON cannot represent, such as a cycle.
    const bytes = new TextEncoder().encode(toJson(result)).length;
    if (bytes > MAX_RESULT_BYTES) {
      throw new Error(`The result is too large: ${bytes} bytes of JSON, at most ${MAX_RESULT_BYTES}.`);
    }
    return { result };
  } catch (error) {
    return toFailure(error);
  }
}

/** Reports an exception of the page's own code to the site's developer in the console, and to the agent. */
function toFailure(error: unknown): { error: string } {
  reportError(error);
  const message = error instanceof Error ? error.message : String(error);
  return { error: message.slice(0, MAX_ERROR_CHARACTERS) || "The page's code failed." };
}

/** Repeats a call while the server cannot be reached or is busy. */
async function retryWhileUnavailable<T>(call: () => Promise<T>): Promise<T> {
  for (const wait of RETRY_DELAYS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof FoyerError) || !error.isTemporary) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return call();
}

/** Shows an error of the site's code in the console, like an uncaught error. Node.js lacks this function. */
function reportError(error: unknown) {
  globalThis.reportError?.(error);
}

/** 128 random bits. `crypto.randomUUID` is not available on pages served over plain HTTP. */
function randomId(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
