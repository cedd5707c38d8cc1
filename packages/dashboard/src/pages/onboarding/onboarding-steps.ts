/** The steps of the guided start, in their order; `id` stands in the address. */
export const onboardingSteps = [
  { id: "name", title: "Name" },
  { id: "know", title: "Knowledge" },
  { id: "try", title: "Test" },
  { id: "embed", title: "Embed" },
  { id: "arrive", title: "First conversation" },
] as const;

export type OnboardingStep = (typeof onboardingSteps)[number]["id"];

/** The fields of an agent that the steps read. */
export type OnboardingAgent = {
  id: string;
  name: string;
  model: string;
  modelIsDefault?: boolean;
  systemPrompt: string | null;
  widget: { suggestions?: string[] | null };
};

/** The step that an address means. Without an agent there is only the first; an agent that has its name goes on with the second. */
export function stepOf({ agentId, step }: { agentId?: string; step?: string }): OnboardingStep {
  if (!agentId) return "name";
  return onboardingSteps.find(({ id }) => id === step)?.id ?? "know";
}

export function stepBeside(step: OnboardingStep, by: 1 | -1): OnboardingStep | null {
  return onboardingSteps[onboardingSteps.findIndex(({ id }) => id === step) + by]?.id ?? null;
}

type Listed = { id: string; title: string; userEmail: string | null; createdAt: string };

/** The oldest of these conversations (newest first) that is a visitor's, and not the owner's own trial. */
export function firstOfVisitors<Item extends Listed>(conversations: readonly Item[], ownEmail: string): Item | null {
  return conversations.findLast(({ userEmail }) => userEmail !== ownEmail) ?? null;
}
