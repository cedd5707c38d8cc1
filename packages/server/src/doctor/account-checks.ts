import type { Check, ProviderFailures } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import type { DoctorStore } from "./store.ts";

const LATE_MS = 60_000;
const VERY_LATE_MS = 600_000;
const MAX_SHOWN = 5;

type Agents = Awaited<ReturnType<DoctorStore["agents"]>>;

/** Whether a model answers for each of the account's agents. */
export async function checkModel(
  { models }: Pick<Deps, "models">,
  organizationId: string,
  agents: Agents,
): Promise<Check> {
  const check = { id: "model", title: "Model provider" } as const;
  const ids = [...new Set(agents.map(({ model }) => model))];
  const { labels, unanswered, defaultModelId } = await models.survey(organizationId, ids);
  if (labels.length === 0) {
    const detail = "No provider is configured: the built-in demo answers, which is no AI.";
    return { ...check, state: "warning", detail, fix: "Add a provider's key in the settings, or to the environment." };
  }
  if (unanswered.length === 0) {
    return {
      ...check,
      state: "ok",
      detail: `${labels.join(", ")}. The default model is ${defaultModelId}.`,
      fix: null,
    };
  }
  const stuck = agents
    .map(({ name, model }) => ({ name, model: model ?? defaultModelId }))
    .filter(({ model }) => unanswered.includes(model))
    .map(({ name, model }) => `${name} (${model})`);
  const detail = `These agents cannot answer, because the provider of their model is not configured: ${shortened(stuck)}.`;
  return { ...check, state: "failure", detail, fix: "Choose another model for them, or add the provider's key." };
}

/** Whether replies failed lately, and with what words. */
export function checkReplies(failures: readonly ProviderFailures[]): Check {
  const check = { id: "replies", title: "Replies" } as const;
  const [newest] = failures;
  if (!newest) return { ...check, state: "ok", detail: "No reply failed in the last 24 hours.", fix: null };
  const counts = failures.map(({ label, count }) => `${label}: ${count}`).join(", ");
  const status = newest.newest.providerStatus === null ? "" : ` (HTTP ${newest.newest.providerStatus})`;
  const detail = `Failed replies in the last 24 hours: ${counts}. Newest${status}: ${newest.newest.message}`;
  const isOngoing = failures.some((one) => one.isOngoing);
  const fix = isOngoing
    ? "Check the provider's key, quota and model name in Settings, Models."
    : "Replies have succeeded since. Filter conversations by failed replies to see which visitors were affected.";
  return { ...check, state: isOngoing ? "failure" : "warning", detail, fix };
}

/** Whether what was submitted gets where it should. */
export async function checkDeliveries(store: DoctorStore, organizationId: string): Promise<Check> {
  const check = { id: "deliveries", title: "Deliveries" } as const;
  const [late, failed] = [await store.latestBy(), await store.failedLately(organizationId)];
  if (late > LATE_MS) {
    const detail = `What is due is not being sent: the oldest has been waiting for ${Math.round(late / 60_000)} min.`;
    const fix = "Look at the server's log for deliveries; one slow receiver alone does not do this. Then restart it.";
    return { ...check, state: late > VERY_LATE_MS ? "failure" : "warning", detail, fix };
  }
  if (failed === 0)
    return { ...check, state: "ok", detail: "Nothing is late, and nothing failed in the last day.", fix: null };
  const detail = `${failed} ${failed === 1 ? "submission" : "submissions"} failed in the last day.`;
  return {
    ...check,
    state: "warning",
    detail,
    fix: "Look at their attempts, mend the form's address, and retry them.",
  };
}

/** Pages that asked for an agent and are not allowed to. */
export function checkOrigins(service: Pick<AgentService, "refusedOrigins">, agents: Agents): Check {
  const check = { id: "origins", title: "Allowed pages" } as const;
  const refused = agents.flatMap(({ id, name }) =>
    service.refusedOrigins(id).map(({ origin, times }) => `${origin} by ${name}, ${times}×`),
  );
  if (refused.length === 0) return { ...check, state: "ok", detail: "No page was refused in the last day.", fix: null };
  const detail = `Refused in the last day, since this process began: ${shortened(refused)}.`;
  return { ...check, state: "warning", detail, fix: "If a page is yours, add its origin to the agent's allowed ones." };
}

/** Checks that FOYER_SECRET still decrypts stored values, using the oldest and the newest agent of the organization. */
export function checkEncryption({ encryption }: Pick<Deps, "encryption">, agents: Agents): Check {
  const check = { id: "encryption", title: "Encryption at rest" } as const;
  const tried = [agents.at(0), agents.at(-1)].filter((agent) => agent !== undefined);
  try {
    for (const { id, identitySecret } of tried) encryption.decrypt(identitySecret, id);
  } catch {
    const detail = "FOYER_SECRET cannot decrypt the stored values. They were encrypted with another secret.";
    const fix = "Start with the FOYER_SECRET of before, or restore the secret file together with the database.";
    return { ...check, state: "failure", detail, fix };
  }
  return {
    ...check,
    state: "ok",
    detail: "Stored keys and secrets are encrypted, and FOYER_SECRET decrypts them.",
    fix: null,
  };
}

function shortened(items: readonly string[]): string {
  const more = items.length - MAX_SHOWN;
  return items.slice(0, MAX_SHOWN).join(", ") + (more > 0 ? `, and ${more} more` : "");
}
