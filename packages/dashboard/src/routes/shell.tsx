import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { NotFoundPage } from "../components/page-states.tsx";
import { readLastAgentId } from "../data/last-agent.ts";
import { endpointQuery, queryClient } from "../data/queries.ts";
import { stringParams } from "../search-params.ts";
import { requireSession, shell } from "./root.tsx";

/** The agent that a member sees first: one whose visitor waits, or with the newest conversation. */
async function findBusyAgentId(): Promise<string | undefined> {
  for (const query of [{ handler: "waiting" }, { status: "open" }, { status: "resolved" }] as const) {
    const input = { ...query, sort: "activity", limit: 1 } as const;
    const [newest] = (await queryClient.ensureQueryData(endpointQuery("listConversations", input))).data;
    if (newest) return newest.agentId;
  }
  return undefined;
}

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: stringParams<"error">("error"),
  beforeLoad: async ({ location, search }) => {
    // Failed sign-in links end here with a reason. Users without a session see it on the sign-in page.
    const { organization } = await requireSession(location.href, search.error);
    if (!organization) return;
    const agents = await queryClient.ensureQueryData(endpointQuery("listAgents"));
    const last = agents.find(({ id }) => id === readLastAgentId());
    const busyId = last || agents.length < 2 ? undefined : await findBusyAgentId();
    const agent = last ?? agents.find(({ id }) => id === busyId) ?? agents[0];
    if (!agent) throw redirect({ to: "/start" });
    throw redirect({ to: "/agents/$agentId/conversations", params: { agentId: agent.id } });
  },
});
const start = createRoute({
  getParentRoute: () => shell,
  path: "/start",
  validateSearch: stringParams("agentId", "step"),
  component: lazyRouteComponent(() => import("../pages/onboarding/onboarding-page.tsx"), "OnboardingPage"),
});
const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  component: lazyRouteComponent(() => import("../pages/agents/agents-page.tsx"), "AgentsPage"),
});

const visitor = createRoute({
  getParentRoute: () => shell,
  path: "/visitors/$visitorKey",
  component: lazyRouteComponent(() => import("../pages/visitor/visitor-page.tsx"), "VisitorPage"),
});

// Links in emails name a submission without its agent.
const mailedSubmission = createRoute({
  getParentRoute: () => shell,
  path: "/forms/submissions/$submissionId",
  loader: async ({ params: { submissionId } }) => {
    const { agentId } = await queryClient.ensureQueryData(endpointQuery("getSubmission", { id: submissionId }));
    throw redirect({ to: "/agents/$agentId/forms/$submissionId", params: { agentId, submissionId } });
  },
});

// Unknown URLs keep the navigation.
const notFound = createRoute({ getParentRoute: () => shell, path: "$", component: NotFoundPage });

export const shellRoutes = [home, start, agents, visitor, mailedSubmission, notFound] as const;
