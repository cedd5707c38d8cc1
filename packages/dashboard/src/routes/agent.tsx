import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { lastView } from "../data/last-view.ts";
import { endpointQuery, queryClient } from "../data/queries.ts";
import { analyticsQuery, findRange } from "../pages/forms/analytics-days.ts";
import { pageQuery } from "../pages/forms/submission-filter.ts";
import { type KnowledgeSearch, listQuery } from "../pages/knowledge/document-search.ts";
import type { UnansweredSearch } from "../pages/knowledge/unanswered-search.ts";
import { pageParam, stringParams } from "../search-params.ts";
import { shell } from "./root.tsx";

/** The page of the list, and the two versions that are compared: a number or `draft`. */
type VersionsSearch = { page?: number; from?: string; to?: string };

/** The outcome that is listed, and the page of the list. */
type ReplaySearch = { outcome?: string; page?: number };

// Pages of one agent. The agent is loaded first, so it exists and belongs to the organization.
const agent = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$agentId",
  component: lazyRouteComponent(() => import("../pages/agents/versions/agent-frame.tsx"), "AgentFrame"),
  loader: ({ params }) => queryClient.ensureQueryData(endpointQuery("getAgent", { id: params.agentId })),
});
const agentEditor = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/agents/agent-page.tsx"), "AgentPage"),
});
const appearance = createRoute({
  getParentRoute: () => agent,
  path: "/appearance",
  component: lazyRouteComponent(() => import("../pages/agents/appearance-page.tsx"), "AppearancePage"),
});
const embedding = createRoute({
  getParentRoute: () => agent,
  path: "/embed",
  component: lazyRouteComponent(() => import("../pages/agents/embed-page.tsx"), "EmbedPage"),
});
const identity = createRoute({
  getParentRoute: () => agent,
  path: "/identity",
  component: lazyRouteComponent(() => import("../pages/agents/identity-page.tsx"), "IdentityPage"),
});
const handoff = createRoute({
  getParentRoute: () => agent,
  path: "/handoff",
  loader: () => queryClient.prefetchQuery(endpointQuery("listMembers")),
  component: lazyRouteComponent(() => import("../pages/agents/handoff/handoff-page.tsx"), "HandoffPage"),
});
const versions = createRoute({
  getParentRoute: () => agent,
  path: "/versions",
  validateSearch: (search: Record<string, unknown>): VersionsSearch => ({
    ...stringParams("from", "to")(search),
    ...pageParam(search),
  }),
  component: lazyRouteComponent(() => import("../pages/agents/versions/versions-page.tsx"), "VersionsPage"),
});
const tests = createRoute({
  getParentRoute: () => agent,
  path: "/tests",
  component: lazyRouteComponent(() => import("../pages/tests/tests-page.tsx"), "TestsPage"),
});
const newTest = createRoute({
  getParentRoute: () => agent,
  path: "/tests/new",
  component: lazyRouteComponent(() => import("../pages/tests/test-page.tsx"), "NewTestPage"),
});
const replays = createRoute({
  getParentRoute: () => agent,
  path: "/tests/replays",
  validateSearch: pageParam,
  component: lazyRouteComponent(() => import("../pages/tests/replays/replays-page.tsx"), "ReplaysPage"),
});
const replay = createRoute({
  getParentRoute: () => agent,
  path: "/tests/replays/$replayId",
  validateSearch: (search: Record<string, unknown>): ReplaySearch => ({
    ...stringParams("outcome")(search),
    ...pageParam(search),
  }),
  component: lazyRouteComponent(() => import("../pages/tests/replays/replay-page.tsx"), "ReplayPage"),
});
const blindComparison = createRoute({
  getParentRoute: () => agent,
  path: "/tests/replays/$replayId/compare",
  component: lazyRouteComponent(() => import("../pages/tests/replays/blind-page.tsx"), "BlindPage"),
});
const test = createRoute({
  getParentRoute: () => agent,
  path: "/tests/$testId",
  loader: ({ params: { agentId, testId } }) =>
    queryClient.ensureQueryData(endpointQuery("getAgentTest", { id: agentId, testId })),
  component: lazyRouteComponent(() => import("../pages/tests/test-page.tsx"), "TestPage"),
});
const tools = createRoute({
  getParentRoute: () => agent,
  path: "/tools",
  loader: ({ params: { agentId } }) => queryClient.ensureQueryData(endpointQuery("listTools", { agentId })),
  component: lazyRouteComponent(() => import("../pages/tools/tools-page.tsx"), "ToolsPage"),
});
const newTool = createRoute({
  getParentRoute: () => agent,
  path: "/tools/new",
  validateSearch: stringParams("kind", "part"),
  component: lazyRouteComponent(() => import("../pages/tools/tool-page.tsx"), "NewToolPage"),
});
const tool = createRoute({
  getParentRoute: () => agent,
  path: "/tools/$toolId",
  validateSearch: stringParams("part"),
  loader: ({ params: { toolId } }) => queryClient.ensureQueryData(endpointQuery("getTool", { id: toolId })),
  component: lazyRouteComponent(() => import("../pages/tools/tool-page.tsx"), "ToolPage"),
});
const triggers = createRoute({
  getParentRoute: () => agent,
  path: "/triggers",
  component: lazyRouteComponent(() => import("../pages/triggers/triggers-page.tsx"), "TriggersPage"),
});
const newTrigger = createRoute({
  getParentRoute: () => agent,
  path: "/triggers/new",
  validateSearch: stringParams("template"),
  component: lazyRouteComponent(() => import("../pages/triggers/new-trigger-page.tsx"), "NewTriggerPage"),
});
const trigger = createRoute({
  getParentRoute: () => agent,
  path: "/triggers/$triggerId",
  component: lazyRouteComponent(() => import("../pages/triggers/trigger-page.tsx"), "TriggerPage"),
});
const knowledge = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge",
  validateSearch: (search: Record<string, unknown>): KnowledgeSearch => ({
    ...stringParams("q", "state", "kind")(search),
    ...pageParam(search),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { agentId }, deps }) => {
    void queryClient.prefetchQuery(endpointQuery("listDocuments", listQuery(agentId, deps)));
    return queryClient.ensureQueryData(endpointQuery("getDocumentLimits", { agentId }));
  },
  component: lazyRouteComponent(() => import("../pages/knowledge/knowledge-page.tsx"), "KnowledgePage"),
});
const sites = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/sites",
  loader: ({ params: { agentId } }) => queryClient.prefetchQuery(endpointQuery("listSources", { agentId })),
  component: lazyRouteComponent(() => import("../pages/knowledge/sites-page.tsx"), "SitesPage"),
});
const unanswered = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/unanswered",
  validateSearch: (search: Record<string, unknown>): UnansweredSearch => ({
    ...stringParams("reason", "period")(search),
    ...pageParam(search),
  }),
  component: lazyRouteComponent(() => import("../pages/knowledge/unanswered-page.tsx"), "UnansweredPage"),
});
const document = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/$documentId",
  loader: ({ params: { documentId } }) => queryClient.ensureQueryData(endpointQuery("getDocument", { id: documentId })),
  component: lazyRouteComponent(() => import("../pages/knowledge/document-page.tsx"), "DocumentPage"),
});
const inboxParams = stringParams(
  "q",
  "feedback",
  "rating",
  "from",
  "to",
  "userId",
  "hasForm",
  "failed",
  "test",
  "tag",
  "view",
  "saved",
  "scope",
  "handler",
);
const conversations = createRoute({
  getParentRoute: () => agent,
  path: "/conversations",
  validateSearch: inboxParams,
  beforeLoad({ search, location, params }) {
    const isList = location.pathname.endsWith("/conversations");
    const view = lastView();
    if (!isList || !view || Object.values(search).some(Boolean)) return;
    throw redirect({ to: "/agents/$agentId/conversations", params, search: view, replace: true });
  },
  component: lazyRouteComponent(() => import("../pages/conversations/conversations-page.tsx"), "ConversationsPage"),
});
// Rendered by the page with the list, which keeps its scroll position.
const conversation = createRoute({ getParentRoute: () => conversations, path: "/$conversationId" });
const analytics = createRoute({
  getParentRoute: () => agent,
  path: "/analytics",
  validateSearch: stringParams("range", "from", "to", "scope"),
  component: lazyRouteComponent(() => import("../pages/analytics/analytics-page.tsx"), "AnalyticsPage"),
});
const submissions = createRoute({
  getParentRoute: () => agent,
  path: "/forms",
  validateSearch: (search: Record<string, unknown>) => ({
    ...stringParams("status", "toolId", "from", "to")(search),
    ...(typeof search.page === "number" ? { page: search.page } : {}),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { agentId }, deps }) => {
    void queryClient.prefetchQuery(endpointQuery("listTools", { agentId }));
    void queryClient.prefetchQuery(endpointQuery("listSubmissions", pageQuery(agentId, deps)));
  },
  component: lazyRouteComponent(() => import("../pages/forms/submissions-page.tsx"), "SubmissionsPage"),
});
const formAnalytics = createRoute({
  getParentRoute: () => agent,
  path: "/forms/analytics",
  validateSearch: stringParams<"toolId" | "range">("toolId", "range"),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { agentId }, deps: { range } }) => {
    void queryClient.prefetchQuery(endpointQuery("listTools", { agentId }));
    void queryClient.prefetchQuery(endpointQuery("getFormAnalytics", analyticsQuery(agentId, findRange(range))));
  },
  component: lazyRouteComponent(() => import("../pages/forms/form-analytics-page.tsx"), "FormAnalyticsPage"),
});
const submission = createRoute({
  getParentRoute: () => agent,
  path: "/forms/$submissionId",
  loader: ({ params: { agentId, submissionId } }) => {
    void queryClient.prefetchQuery(endpointQuery("listTools", { agentId }));
    void queryClient.prefetchQuery(endpointQuery("getSubmission", { id: submissionId }));
  },
  component: lazyRouteComponent(() => import("../pages/forms/submission-page.tsx"), "SubmissionPage"),
});

export const agentRoutes = agent.addChildren([
  agentEditor,
  appearance,
  embedding,
  identity,
  handoff,
  versions,
  tests,
  newTest,
  replays,
  replay,
  blindComparison,
  test,
  tools,
  newTool,
  tool,
  triggers,
  newTrigger,
  trigger,
  knowledge,
  sites,
  unanswered,
  document,
  conversations.addChildren([conversation]),
  analytics,
  submissions,
  formAnalytics,
  submission,
]);
