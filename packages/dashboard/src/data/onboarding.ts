import { isAtLeast } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { endpointQuery } from "./queries.ts";

/** How far an agent is set up. `done` and `step`, the first step that is not done, come from the server's data. */
export type OnboardingProgress = { agentId: string; step: string; done: readonly string[] };

/** The steps of an onboarding, in order. */
export const stepIds = ["name", "know", "try", "embed", "arrive"];
/** The agents whose onboarding was dismissed in this browser. */
const key = "foyer.onboarding.dismissed";
const MAX_DISMISSED = 100;
const listeners = new Set<() => void>();
/** Invited members work with what is already set up. */
const minimumRoleToSetUp = "admin";

/** The steps of an agent that are done, or `null` until they are known. */
export function useOnboardingSteps(agentId: string | undefined): OnboardingProgress | null {
  const id = agentId ?? "";
  const options = { enabled: agentId !== undefined, staleTime: 30_000 };
  const visitors = useQuery({ ...endpointQuery("listConversations", conversationsOf(id, false)), ...options }).data;
  const tests = useQuery({ ...endpointQuery("listConversations", conversationsOf(id, true)), ...options }).data;
  const agent = useQuery({ ...endpointQuery("getAgent", { id }), ...options }).data;
  const documents = useQuery({ ...endpointQuery("getDocumentLimits", { agentId: id }), ...options }).data;
  if (!visitors || !tests || !agent || !documents) return null;
  // A conversation of a visitor proves that the agent is embedded.
  const hasVisitor = visitors.data.length > 0;
  const isDone: Record<string, boolean> = {
    name: true,
    know: (agent.systemPrompt ?? "").trim() !== "" || documents.current > 0,
    try: tests.data.length > 0,
    embed: hasVisitor,
    arrive: hasVisitor,
  };
  const done = stepIds.filter((step) => isDone[step]);
  return { agentId: id, step: stepIds.find((step) => !isDone[step]) ?? "arrive", done };
}

const conversationsOf = (agentId: string, test: boolean) => ({ agentId, test, limit: 1 });

/** The onboarding of an agent that the member may set up, or `null` once it is finished or was dismissed. */
export function useOnboarding(agentId: string | undefined): OnboardingProgress | null {
  const role = useQuery(endpointQuery("getSession")).data?.role ?? null;
  const isDismissed = useSyncExternalStore(subscribe, readText)?.includes(`"${agentId}"`) === true;
  const isOffered = role !== null && isAtLeast(role, minimumRoleToSetUp) && !isDismissed;
  const progress = useOnboardingSteps(isOffered ? agentId : undefined);
  return isOffered && progress && !progress.done.includes("arrive") ? progress : null;
}

/** Stops offering an agent's onboarding in this browser. */
export function dismissOnboarding(agentId: string): void {
  const others = readDismissed().filter((id) => id !== agentId);
  localStorage.setItem(key, JSON.stringify([...others, agentId].slice(-MAX_DISMISSED)));
  for (const listener of listeners) listener();
}

function readText(): string | null {
  return localStorage.getItem(key);
}

function readDismissed(): string[] {
  try {
    const ids: unknown = JSON.parse(readText() ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
  } catch {
    // The stored value may come from another version of the dashboard.
    return [];
  }
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
