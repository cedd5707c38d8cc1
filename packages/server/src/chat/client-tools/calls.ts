import { createHash } from "node:crypto";
import { clientToolLimits, type ToolCallResult, type ToolClaim } from "@foyer/contract";
import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import type { ClientToolAnswer } from "../../tools/run-tool.ts";
import { inputProblem } from "../../tools/schema/input-schema.ts";
import type { RunToolOptions } from "../loop/agent-loop.ts";
import { createClientToolStore } from "./store.ts";

/** The interval at which results that other processes have received are read, in milliseconds. */
const POLL_MS = 500;
/** Marks a call that ended without a result. No SHA-256 hash equals it. */
const CLOSED = "closed";

const NO_ANSWER = {
  error: "The visitor's page sent no result within 30 seconds. Whether the action was carried out is unknown.",
};
const NOT_ASKED = { error: "The visitor's page does not respond, so the tool was not run." };

type Reply = { conversationId: string; messageId: string; sessionId: string | null };
type Call = Reply & { toolUseId: string; toolId: string };

/** Runs something after some milliseconds. Returns a function that prevents it. */
export type Schedule = (run: () => void, ms: number) => () => void;

const startTimer: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export type ClientToolCalls = ReturnType<typeof createClientToolCalls>;

/**
 * Calls of tools that run in the visitor's page. The process that runs the reply waits for the result, and any process
 * can receive it: through memory in the same process, and otherwise through the call's row.
 */
export function createClientToolCalls(
  { db, log, databaseKind }: Pick<Deps, "db" | "log" | "databaseKind">,
  schedule: Schedule = startTimer,
) {
  const store = createClientToolStore({ db, databaseKind }, clientToolLimits.waitMs);
  const waiting = new Map<string, { call: Call; resolve: (answer: ClientToolAnswer | null) => void }>();
  let isPolling = false;

  async function poll() {
    try {
      const replies = [...new Set([...waiting.values()].map(({ call }) => call.messageId))];
      const rows = replies.length > 0 ? await store.unread(replies) : [];
      for (const row of rows) waiting.get(callKey(row))?.resolve(JSON.parse(row.outcome ?? "null"));
    } catch (error) {
      log.warn({ err: error }, "results of client tools could not be read; retrying");
    }
    isPolling = false;
    startPolling();
  }

  function startPolling() {
    if (databaseKind !== "postgres" || isPolling || waiting.size === 0) return;
    isPolling = true;
    setTimeout(poll, POLL_MS).unref();
  }

  /** Waits for the result. Resolves to null when the time has run out or the reply has been stopped. */
  async function receive(call: Call, { signal, announce }: RunToolOptions): Promise<ClientToolAnswer | null> {
    const { promise, resolve } = Promise.withResolvers<ClientToolAnswer | null>();
    const giveUp = () => resolve(null);
    const stopTimer = schedule(giveUp, clientToolLimits.waitMs);
    signal.addEventListener("abort", giveUp);
    waiting.set(callKey(call), { call, resolve });
    startPolling();
    try {
      announce();
      return signal.aborted ? null : await promise;
    } finally {
      stopTimer();
      signal.removeEventListener("abort", giveUp);
      waiting.delete(callKey(call));
    }
  }

  /** Closes the call, unless a result has been stored in the meantime. */
  async function close(call: Call): Promise<ClientToolAnswer | null> {
    if (await store.settle(call, { outcome: null, digest: CLOSED })) return null;
    const row = (await store.unread([call.messageId])).find(({ toolUseId }) => toolUseId === call.toolUseId);
    return row ? JSON.parse(row.outcome ?? "null") : null;
  }

  const findCall = async (conversationId: string, toolUseId: string) => {
    const call = await store.find(conversationId, toolUseId);
    if (!call) throw notFound("Tool call");
    return call;
  };
  /** A result that remains stored is deleted together with its message, so a failure here must not end the reply. */
  const forget = (call: Call) =>
    store.forget(call).catch((error) => log.warn({ err: error }, "the stored result of a client tool was not removed"));

  return {
    /** The number of calls that wait for a result in this process. */
    count: () => waiting.size,
    /**
     * Waits for the results of one reply's calls. A call without a result means that the page is gone, so later calls
     * of the reply do not wait. Otherwise, 16 calls in each of 8 steps could take an hour.
     */
    ofReply({ conversationId, messageId, sessionId }: Reply) {
      let isGone = false;
      return {
        /**
         * @param call `toolUseId` is an id that no other call has
         * @returns the page's result, or an error for the model
         */
        async waitFor(
          { toolId, toolUseId }: { toolId: string; toolUseId: string },
          options: RunToolOptions,
        ): Promise<ClientToolAnswer> {
          if (isGone) return NOT_ASKED;
          const call = { conversationId, messageId, sessionId, toolUseId, toolId };
          await store.insert(call);
          let answer: ClientToolAnswer | null = null;
          try {
            answer = await receive(call, options);
          } finally {
            answer ??= await close(call);
            if (answer) await forget(call);
          }
          isGone = answer === null;
          return answer ?? NO_ANSWER;
        },
      };
    },
    /** @throws 404 when there is no such call, 409 when another page has claimed it or the call is over */
    async claim(conversationId: string, { toolUseId, ...claim }: ToolClaim): Promise<void> {
      const call = await findCall(conversationId, toolUseId);
      if (call.isOpen && (await store.claim(call, claim))) return;
      throw new AppError("CONFLICT", "Another page has claimed this call, or the reply no longer waits for it.");
    },
    /**
     * Passes a result to the reply that waits for it, in any process. Sending the same result again has no effect.
     * @throws 400 for a result that the tool does not allow, 404 when there is no such call, 409 for another result and
     * when the call is over
     */
    async answer(conversationId: string, given: ToolCallResult): Promise<void> {
      const call = await findCall(conversationId, given.toolUseId);
      const answer = answerIn(given, call.clientResultSchema);
      const outcome = JSON.stringify(answer);
      const digest = createHash("sha256").update(JSON.stringify(answer, inKeyOrder)).digest("base64url");
      if (call.isOpen && (await store.settle(call, { outcome, digest }))) {
        waiting.get(callKey(call))?.resolve(answer);
        return;
      }
      if ((await findCall(conversationId, given.toolUseId)).digest === digest) return;
      throw new AppError("CONFLICT", "The call already has another result, or the reply no longer waits for it.");
    },
  };
}

const callKey = ({ messageId, toolUseId }: { messageId: string; toolUseId: string }) => `${messageId} ${toolUseId}`;

function answerIn({ result = null, error }: ToolCallResult, schema: string | null): ClientToolAnswer {
  if (typeof error === "string") {
    if (result !== null) throw invalid("error", "must not be sent together with a result", "not_allowed");
    return { error };
  }
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes > clientToolLimits.resultBytes) {
    const problem = `must be at most ${clientToolLimits.resultBytes} bytes of JSON, found ${bytes}`;
    throw invalid("result", problem, "max_length");
  }
  const problem = schema === null ? null : inputProblem(schema, result);
  if (problem !== null) throw invalid("result", `does not match the tool's clientResultSchema: ${problem}`);
  return { result };
}
