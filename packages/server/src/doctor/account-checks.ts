import type { Check, DocumentEmbeddings, NoticeReach, ProviderFailures } from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import type { DoctorStore } from "./store.ts";

const LATE_MS = 60_000;
const VERY_LATE_MS = 600_000;
const MAX_SHOWN = 5;

type Agents = Awaited<ReturnType<DoctorStore["agents"]>>;

/** Checks that the model of every agent is available and accepts tools. */
export async function checkModel(
  { models }: Pick<Deps, "models">,
  organizationId: string,
  agents: Agents,
): Promise<Check> {
  const check = { id: "model", title: "Model provider" } as const;
  const ids = [...new Set(agents.map(({ model }) => model))];
  const { labels, unanswered, withoutTools, defaultModelId, withoutDefault } = await models.survey(organizationId, ids);
  const describeAffected = (modelIds: readonly string[]) =>
    joinShortened(
      agents
        .map(({ name, model }) => ({ name, model: model ?? defaultModelId }))
        .filter(({ model }) => modelIds.includes(model))
        .map(({ name, model }) => `${name} (${model})`),
    );
  if (labels.length === 0) {
    const detail = "No provider is configured, so the built-in demo answers. It is not an AI.";
    return {
      ...check,
      state: "warning",
      detail,
      fix: "Add a provider's API key under Settings > Models or in the environment.",
    };
  }
  const [connected] = withoutDefault;
  if (connected && (agents.length === 0 || ids.includes(null))) {
    return {
      ...check,
      state: "warning",
      detail: `${connected} is connected, but lists no models, so agents without a model of their own answer with the built-in demo. It is not an AI.`,
      fix: `Set FOYER_DEFAULT_MODEL=${connected}/…, or choose a model for each agent.`,
    };
  }
  if (unanswered.length === 0 && withoutTools.length > 0) {
    const detail = `The models of these agents refused tools during the last hour: ${describeAffected(withoutTools)}. The agents answer without their tools; documents are only searched for the visitor's own words.`;
    return { ...check, state: "warning", detail, fix: "Choose a model that supports tool calling for these agents." };
  }
  if (unanswered.length === 0) {
    return {
      ...check,
      state: "ok",
      detail: `${labels.join(", ")}. The default model is ${defaultModelId}.`,
      fix: null,
    };
  }
  const detail = `These agents cannot answer because the provider of their model is not configured: ${describeAffected(unanswered)}.`;
  return {
    ...check,
    state: "failure",
    detail,
    fix: "Choose another model for these agents, or add the provider's API key.",
  };
}

/** Checks for failed replies and for replies of fallback models, and reports the provider's message. */
export function checkReplies(failures: readonly ProviderFailures[]): Check {
  const check = { id: "replies", title: "Replies" } as const;
  const [newest] = failures;
  if (!newest) return { ...check, state: "ok", detail: "No reply failed in the last 24 hours.", fix: null };
  const failed = countByProvider(failures, ({ count, answered }) => count - answered);
  const answered = countByProvider(failures, (one) => one.answered);
  const status = newest.newest.providerStatus === null ? "" : ` (HTTP ${newest.newest.providerStatus})`;
  const detail = [
    failed ? `Failed replies in the last 24 hours: ${failed}.` : "No reply failed in the last 24 hours.",
    answered && `Answered by a fallback model: ${answered}.`,
    `Newest${status}: ${newest.newest.message}`,
  ];
  const isOngoing = failures.some((one) => one.isOngoing);
  const fix =
    isOngoing || !failed
      ? "Check the provider's API key, quota and model name under Settings > Models."
      : "Replies have succeeded since. Filter conversations by failed replies to see which visitors were affected.";
  return { ...check, state: isOngoing ? "failure" : "warning", detail: detail.filter(Boolean).join(" "), fix };
}

function countByProvider(failures: readonly ProviderFailures[], countOf: (one: ProviderFailures) => number): string {
  return failures
    .filter((one) => countOf(one) > 0)
    .map((one) => `${one.label}: ${countOf(one)}`)
    .join(", ");
}

/** Checks that documents can be searched by meaning if the organization has chosen an embedding model. */
export function checkEmbeddings(
  { model, passages, vectors, skipped, error, oversizedAgentIds }: DocumentEmbeddings,
  agents: Agents,
): Check {
  const check = { id: "embeddings", title: "Search by meaning" } as const;
  if (model === null) {
    return { ...check, state: "off", detail: "Documents are searched by words.", fix: null };
  }
  const progress = `${Math.min(vectors, passages)} of ${passages} passages have vectors of ${model}.`;
  if (error !== null) {
    const detail = `${progress} Documents are searched by words because embedding fails: ${error.message}`;
    const fix = "Check the provider's API key, quota and model name under Settings > Models, then retry there.";
    return { ...check, state: "failure", detail, fix };
  }
  if (oversizedAgentIds.length > 0) {
    const names = agents.filter(({ id }) => oversizedAgentIds.includes(id)).map(({ name }) => name);
    const detail = `${progress} These agents have too many passages to be searched by meaning, so they are searched by words: ${joinShortened(names)}.`;
    const fix = "Divide their documents among several agents, or choose an embedding model with fewer dimensions.";
    return { ...check, state: "warning", detail, fix };
  }
  const detail = skipped > 0 ? `${progress} The provider rejected ${skipped}.` : progress;
  return { ...check, state: "ok", detail, fix: null };
}

/** Checks that form submissions, events and notices are delivered. */
export async function checkDeliveries(store: DoctorStore, organizationId: string): Promise<Check> {
  const check = { id: "deliveries", title: "Deliveries" } as const;
  const late = await store.measureLongestDelay();
  if (late > LATE_MS) {
    const detail = `Deliveries are stuck. The oldest is ${Math.round(late / MINUTE_MS)} min overdue.`;
    const fix =
      "Check the server log for delivery errors, then restart the server. A single slow receiver does not cause this.";
    return { ...check, state: late > VERY_LATE_MS ? "failure" : "warning", detail, fix };
  }
  const [failed, retried] = [await store.countRecentFailures(organizationId), await store.countRetried(organizationId)];
  if (failed + retried === 0) {
    const detail = "No delivery is overdue, and none failed in the last 24 hours.";
    return { ...check, state: "ok", detail, fix: null };
  }
  const parts = [
    failed && `${failed} ${failed === 1 ? "submission" : "submissions"} could not be delivered in the last 24 hours.`,
    retried === 1 && "1 delivery failed at every attempt so far and will be attempted again.",
    retried > 1 && `${retried} deliveries failed at every attempt so far and will be attempted again.`,
  ];
  const fix =
    failed > 0
      ? "Open the submissions, check their attempts, correct the form's webhook URL, and retry."
      : "Open the newest submission or the webhook under Settings > Webhooks, check its attempts, and correct its URL.";
  return { ...check, state: "warning", detail: parts.filter(Boolean).join(" "), fix };
}

/** Checks that someone learns of a visitor who waits for a person, if any agent hands conversations over. */
export function checkNotifications({ email, push, channels }: NoticeReach, agents: Agents): Check {
  const check = { id: "notifications", title: "Handoff notifications" } as const;
  const handingOver = agents.filter(({ handoff }) => JSON.parse(handoff).isEnabled === true);
  if (handingOver.length === 0) {
    return { ...check, state: "off", detail: "No agent hands conversations over to people.", fix: null };
  }
  if (email + push + channels === 0) {
    const names = joinShortened(handingOver.map(({ name }) => name));
    const detail = `No member can be notified when a visitor waits for a person. Handoff is on for ${names}.`;
    return { ...check, state: "warning", detail, fix: "Set SMTP_URL, add a channel, or turn on a device." };
  }
  const ways = [
    email > 0 && `${email} by email`,
    push > 0 && `${push} ${push === 1 ? "device" : "devices"}`,
    channels > 0 && `${channels} ${channels === 1 ? "channel" : "channels"}`,
  ];
  return {
    ...check,
    state: "ok",
    detail: `Notified of waiting visitors: ${ways.filter(Boolean).join(", ")}.`,
    fix: null,
  };
}

/** Checks for pages that tried to use an agent that does not allow them. */
export function checkOrigins(service: Pick<AgentService, "refusedOrigins">, agents: Agents): Check {
  const check = { id: "origins", title: "Allowed origins" } as const;
  const refused = agents.flatMap(({ id, name }) =>
    service.refusedOrigins(id).map(({ origin, times }) => `${origin} by ${name}, ${times}×`),
  );
  if (refused.length === 0)
    return { ...check, state: "ok", detail: "No page was rejected in the last 24 hours.", fix: null };
  const detail = `Rejected in the last 24 hours (since the server started): ${joinShortened(refused)}.`;
  return {
    ...check,
    state: "warning",
    detail,
    fix: "If a site is yours, add its origin to the agent's allowed origins.",
  };
}

/** Checks that FOYER_SECRET still decrypts stored values, using the oldest and the newest agent of the organization. */
export function checkEncryption({ encryption }: Pick<Deps, "encryption">, agents: Agents): Check {
  const check = { id: "encryption", title: "Encryption at rest" } as const;
  const tried = [agents.at(0), agents.at(-1)].filter((agent) => agent !== undefined);
  try {
    for (const { id, identitySecret } of tried) encryption.decrypt(identitySecret, id);
  } catch {
    const detail = "FOYER_SECRET cannot decrypt the stored values. They were encrypted with another secret.";
    const fix =
      "Start the server with the previous FOYER_SECRET, or restore the secret file together with the database.";
    return { ...check, state: "failure", detail, fix };
  }
  return {
    ...check,
    state: "ok",
    detail: "Stored keys and secrets are encrypted, and FOYER_SECRET decrypts them.",
    fix: null,
  };
}

function joinShortened(items: readonly string[]): string {
  const more = items.length - MAX_SHOWN;
  return items.slice(0, MAX_SHOWN).join(", ") + (more > 0 ? `, and ${more} more` : "");
}
