import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { FairPool } from "../pools/fair-pool.ts";
import type { RequestFiles } from "./prompt-files.ts";
import type { ProviderName } from "./provider-environment.ts";

/** A model that the agent loop can use. */
export type ChatModel = StreamModel | CallbackModel;

/**
 * A call of the AI SDK, with what Foyer adds to it. `editBody` changes the body of the request before it is sent, to
 * leave out what the provider has refused. `onActivity` is called for all bytes of the response, also for keep-alives
 * that are no parts. `files` are the pictures and files of the prompt, whose content is put into the body when it is sent.
 */
export type ModelCall = LanguageModelV4CallOptions & {
  editBody?: ((body: JSONObject) => JSONObject) | undefined;
  onActivity?: (() => void) | undefined;
  files?: RequestFiles | null;
};

/** The part of the AI SDK's `LanguageModel` that the agent loop uses. */
export type StreamModel = Pick<LanguageModelV4, "provider" | "modelId"> & {
  /** whether files of this type are sent to the model; absent when it receives all pictures */
  readsFile?(mediaType: string): boolean;
  doStream(call: ModelCall): PromiseLike<LanguageModelV4StreamResult>;
};

/**
 * Passes each part on as soon as its bytes arrive, which costs no promise per part. `streamTo` resolves after the last
 * part, and rejects with a failure of the call, what `onPart` throws, or the reason of the call's signal.
 */
export type CallbackModel = Pick<LanguageModelV4, "provider" | "modelId"> & {
  readsFile?(mediaType: string): boolean;
  streamTo(call: ModelCall, onPart: (part: ModelPart) => void): Promise<void>;
};

/** `source` is the connection of the model, null for the built-in demo. It never leaves the server. */
export type ChosenModel = ChatModel & {
  source: { provider: ProviderName; apiKey: string | null; baseUrl: string } | null;
  /** true when the call uses the operator's key from the environment instead of the organization's own key */
  isOperatorPaid: boolean;
  /** The organization's setting for the model, if it has one. It is read only for prompts with pictures. */
  readVision?(): Promise<VisionSetting | undefined>;
  /** the room for pictures and files of requests, in KiB */
  fileRoom?: FairPool;
};

/** Whether a model can see pictures, as an organization has set it, and when. */
export type VisionSetting = { supportsImages: boolean; updatedAt: number };

export type ModelPart = LanguageModelV4StreamPart;
