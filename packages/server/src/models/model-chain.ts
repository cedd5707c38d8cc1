import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { AppError } from "../errors.ts";
import { type AnswerSink, type AskLimits, askModel, type ModelRequest } from "./ask-model.ts";
import { type ChangeReason, findChangeReason, isLasting } from "./change-reason.ts";
import type { ChosenModel, ModelPart } from "./chat-model.ts";
import type { Circuits, Permission } from "./circuit.ts";

/** A model that may answer, or the reason why it cannot be asked. `id` is the id in the agent's settings. */
export type Candidate = { id: string } & ({ model: ChosenModel } | { problem: AppError });

/** A changeover from the model `from` to the next one. */
export type Changeover = { from: Candidate; to: Candidate; reason: ChangeReason; error: unknown };

/** How one call of a model went, for the trace. The chain fills it in, also when the call fails. */
export type CallRecord = {
  /** the model that was asked last */
  modelId: string | null;
  /** the agent's own model, when another one was asked */
  fallbackFrom: string | null;
  /** failed attempts, of every model */
  retries: number;
  /** when the first token of the last attempt arrived, by `performance.now()` */
  firstTokenAt: number | null;
};

export const createCallRecord = (): CallRecord => ({
  modelId: null,
  fallbackFrom: null,
  retries: 0,
  firstTokenAt: null,
});

export type ModelChain = ReturnType<typeof createModelChain>;

/**
 * A model may be asked twice before the reply changes over, and the second time after 1 s at most, so that the visitor
 * waits little longer than the model took to fail.
 */
const PATIENCE = { maxAttempts: 2, longestWait: 1_000 };

type Options = { organizationId: string; circuits: Circuits; onChangeover?: (changeover: Changeover) => void };

/**
 * The models that may write one reply, in the order in which they are asked. A reply changes over to the next one when a
 * model fails before the first visible word or tool call of a step, and stays with it. Other models than the first are
 * left out when they cannot be asked.
 */
export function createModelChain(
  [first, ...others]: readonly [Candidate, ...Candidate[]],
  { organizationId, circuits, onChangeover }: Options,
) {
  let current: Candidate = first;
  const rest = others.filter((candidate) => "model" in candidate);
  const changeovers: Changeover[] = [];
  /** the number of messages of the prompt that another model has written parts of */
  let foreignMessages = 0;

  function changeOver(
    to: Candidate,
    { reason, error, prompt }: { reason: ChangeReason; error: unknown; prompt: ModelRequest["prompt"] },
  ) {
    const changeover = { from: current, to, reason, error };
    changeovers.push(changeover);
    onChangeover?.(changeover);
    current = to;
    rest.shift();
    foreignMessages = prompt.length;
  }

  return {
    /** The model that is asked next. @throws its problem when it cannot be asked, and no other model can */
    get model(): ChosenModel {
      if ("model" in current) return current.model;
      if (rest[0]) return rest[0].model;
      throw current.problem;
    },
    /** The changeovers so far, in order. */
    changeovers: changeovers as readonly Changeover[],
    /** The id of the model that is asked next. */
    get modelId(): string {
      return current.id;
    },
    /** The agent's own model, once another one is asked in its place. */
    get fallbackFrom(): string | null {
      return current === first ? null : first.id;
    },
    /**
     * Calls the models in turn until one answers. See `askModel`.
     * @throws the last model's error
     */
    async ask(
      request: ModelRequest,
      { limits, signal, record }: { limits: AskLimits; signal: AbortSignal; record: CallRecord },
      sink: AnswerSink,
    ): Promise<void> {
      for (;;) {
        const next = rest[0];
        const key = toCircuitKey(organizationId, current);
        const permission: Permission = next ? circuits.enter(key) : "ask";
        if (next && permission === "wait") {
          changeOver(next, { reason: "circuit_open", error: circuits.lastError(key), prompt: request.prompt });
          continue;
        }
        let hasOutput = false;
        try {
          if ("problem" in current) throw current.problem;
          const { model } = current;
          Object.assign(record, { modelId: current.id, fallbackFrom: current === first ? null : first.id });
          await askModel(model, foreignMessages === 0 ? request : withoutForeignData(request, foreignMessages), {
            organizationId,
            limits: { ...limits, ...(next ? PATIENCE : {}) },
            signal,
            sink: {
              begin() {
                record.firstTokenAt = null;
                sink.begin();
              },
              part(part) {
                if (isToken(part)) record.firstTokenAt ??= performance.now();
                hasOutput ||= isOutput(part);
                sink.part(part);
              },
              onUnseenPictures: () => sink.onUnseenPictures?.(),
              onFailedAttempt(error) {
                record.retries += 1;
                const reason = findChangeReason(error);
                if (reason) circuits.fail(key, permission, { error, isLasting: isLasting(reason) });
                sink.onFailedAttempt?.(error);
              },
            },
          });
          circuits.succeed(key, permission);
          return;
        } catch (error) {
          circuits.leave(key, permission);
          signal.throwIfAborted();
          const reason = next && !hasOutput ? findChangeReason(error) : null;
          if (!next || reason === null) throw error;
          changeOver(next, { reason, error, prompt: request.prompt });
        }
      }
    },
  };
}

/** A new key or address can work where the one before has failed, and one model where another one has. */
function toCircuitKey(organizationId: string, candidate: Candidate): string {
  const { apiKey = null, baseUrl = null } = ("model" in candidate && candidate.model.source) || {};
  return JSON.stringify([organizationId, candidate.id, apiKey, baseUrl]);
}

/** Thoughts are tokens, too, although the visitor does not see them. */
const isToken = (part: ModelPart) => isOutput(part) || part.type === "reasoning-delta";

const isOutput = (part: ModelPart) => part.type === "tool-call" || (part.type === "text-delta" && part.delta !== "");

/**
 * Signed thoughts and a provider's own data about its messages mean nothing to another provider, and some refuse them.
 * Its calls and their results travel, with ids that every provider accepts.
 */
function withoutForeignData(request: ModelRequest, messages: number): ModelRequest {
  const ids = new Map<string, string>();
  const toPlainId = (id: string) => {
    const plain = ids.get(id) ?? `call${String(ids.size).padStart(5, "0")}`;
    ids.set(id, plain);
    return plain;
  };
  const prompt = request.prompt.map((message, index) =>
    index < messages ? withoutOwnData(message, toPlainId) : message,
  );
  return { ...request, prompt };
}

function withoutOwnData(message: LanguageModelV4Message, toPlainId: (id: string) => string): LanguageModelV4Message {
  if (message.role === "tool") {
    const content = message.content.map((part) =>
      part.type === "tool-result" ? { ...part, toolCallId: toPlainId(part.toolCallId) } : part,
    );
    return { ...message, content };
  }
  if (message.role !== "assistant") return message;
  const content = message.content.flatMap(({ providerOptions: _, ...part }): Array<typeof part> => {
    if (part.type === "reasoning") return [];
    return [part.type === "tool-call" ? { ...part, toolCallId: toPlainId(part.toolCallId) } : part];
  });
  return { role: "assistant", content };
}
