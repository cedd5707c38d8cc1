/** The onboarding steps in order. `id` is part of the URL. */
export const onboardingSteps = [
  { id: "name", title: "Name" },
  { id: "know", title: "Instructions" },
  { id: "try", title: "Test" },
  { id: "embed", title: "Embed" },
  { id: "arrive", title: "First conversation" },
] as const;

export type OnboardingStep = (typeof onboardingSteps)[number]["id"];

/** The fields of an agent that the steps use. */
export type OnboardingAgent = {
  id: string;
  name: string;
  model: string;
  modelIsDefault?: boolean;
  systemPrompt: string | null;
  widget: { suggestions?: string[] | null };
};

/** The step for a URL. Without an agent it is the first step. With an agent the default is the second step. */
export function readStep({ agentId, step }: { agentId?: string; step?: string }): OnboardingStep {
  if (!agentId) return "name";
  return onboardingSteps.find(({ id }) => id === step)?.id ?? "know";
}

export function findAdjacentStep(step: OnboardingStep, by: 1 | -1): OnboardingStep | null {
  return onboardingSteps[onboardingSteps.findIndex(({ id }) => id === step) + by]?.id ?? null;
}
