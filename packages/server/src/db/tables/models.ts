import type { ReasoningLevel, StepStatus } from "@foyer/contract";
import type { Flag, Instant, Json } from "./column-types.ts";

/** How models answer, what each step of a reply did, and what it cost. */
export type ModelTables = {
  replySteps: ReplyStepRow;
  modelDays: ModelDayRow;
  modelPrices: ModelPriceRow;
  modelSettings: ModelSettingRow;
};

/** An agent's settings for its models. */
export type AgentModelColumns = {
  /** the ids of the models that answer when `model` fails, in order */
  fallbackModels: Json;
  reasoning: ReasoningLevel;
  /** null: the provider's own limit */
  maxOutputTokens: number | null;
  /** in the organization's currency; null: none */
  monthlyCostBudget: number | null;
};

/** The models of a reply and what it cost. */
export type ModelColumns = {
  /** the agent's own model, when another one answered in its place */
  fallbackFrom: string | null;
  /** what the prompt contained besides the stored messages, as JSON, see chat/turn/prompt-notes.ts */
  promptState: string | null;
  cachedInputTokens: number | null;
  /** in the organization's currency; null when a price is unknown */
  cost: number | null;
};

/** What the replies of a conversation cost. */
export type ConversationCost = {
  /** in the organization's currency, without the replies of unknown cost */
  cost: number;
  unknownCostReplies: number;
};

/**
 * A call of a model or a tool in a reply. Deleted with its message. The columns of the other kind are null. Times are in
 * milliseconds.
 */
export type ReplyStepRow = {
  messageId: string;
  /** 0, 1, 2, … in the order in which the steps began */
  position: number;
  kind: "model" | "tool";
  name: string;
  provider: string | null;
  model: string | null;
  startedAt: Instant;
  firstTokenMs: number | null;
  durationMs: number;
  inputTokens: number | null;
  cachedInputTokens: number | null;
  outputTokens: number | null;
  reasoningTokens: number | null;
  retries: number;
  fallbackFrom: string | null;
  stopReason: string | null;
  status: StepStatus;
  bytes: number | null;
  /** the parts of the prompt, in characters */
  promptInstructions: number | null;
  promptDocuments: number | null;
  promptTools: number | null;
  promptHistory: number | null;
  cost: number | null;
};

/** What a model of an agent has used on a day (UTC). */
export type ModelDayRow = {
  agentId: string;
  day: string;
  model: string;
  replies: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  cost: number;
  unknownCostReplies: number;
};

/** A price that an organization has set, per million tokens. */
export type ModelPriceRow = {
  organizationId: string;
  model: string;
  input: number;
  cachedInput: number | null;
  output: number;
  currency: string;
  updatedAt: Instant;
};

/** What an organization has set for a model. */
export type ModelSettingRow = { organizationId: string; model: string; supportsImages: Flag; updatedAt: Instant };
