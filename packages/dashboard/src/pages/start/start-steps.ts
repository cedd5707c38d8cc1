/** The steps of the guided start, in their order; `id` stands in the address. */
export const startSteps = [
  { id: "name", title: "Name it" },
  { id: "know", title: "What it knows" },
  { id: "try", title: "Try it" },
  { id: "embed", title: "Put it on your site" },
  { id: "arrive", title: "First conversation" },
] as const;

export type StartStep = (typeof startSteps)[number]["id"];

/** The step that an address means. Without an agent there is only the first; an agent that has its name goes on with the second. */
export function stepOf({ agentId, step }: { agentId?: string; step?: string }): StartStep {
  if (!agentId) return "name";
  return startSteps.find(({ id }) => id === step)?.id ?? "know";
}

export function stepBeside(step: StartStep, by: 1 | -1): StartStep | null {
  return startSteps[startSteps.findIndex(({ id }) => id === step) + by]?.id ?? null;
}

type Listed = { id: string; title: string; userEmail: string | null; createdAt: string };

/** The oldest of these conversations (newest first) that is a visitor's, and not the owner's own trial. */
export function firstOfVisitors<Item extends Listed>(conversations: readonly Item[], ownEmail: string): Item | null {
  return conversations.findLast(({ userEmail }) => userEmail !== ownEmail) ?? null;
}
