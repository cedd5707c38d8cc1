import type { EndpointName } from "@foyer/sdk";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from "@tanstack/react-router";
import { FailedPage, FailedShell, NotFoundPage, PendingPage } from "./components/page-states.tsx";
import { lastAgentId } from "./data/last-agent.ts";
import { endpointQuery, isSignedOut, queryClient } from "./data/queries.ts";
import { analyticsQuery, rangeOf } from "./pages/forms/analytics-days.ts";
import { pageQuery } from "./pages/forms/submission-filter.ts";
import { type KnowledgeSearch, listQuery } from "./pages/knowledge/document-search.ts";
import type { UnansweredSearch } from "./pages/knowledge/unanswered-search.ts";
import { isPageNumber, parseExactly, stringParams } from "./search-params.ts";
import { canOpen, settingsPages } from "./shell/destinations.tsx";
import { Shell } from "./shell/shell.tsx";

// Every page of the dashboard and its URL. A page's code is loaded when it is opened, or when the pointer is on a link.

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

// Public pages, which need no session.
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: stringParams("next", "error"),
  component: lazyRouteComponent(() => import("./pages/auth/sign-in-page.tsx"), "SignInPage"),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  validateSearch: stringParams("invitation"),
  component: lazyRouteComponent(() => import("./pages/auth/sign-up-page.tsx"), "SignUpPage"),
});
const setUp = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  validateSearch: stringParams("token"),
  component: lazyRouteComponent(() => import("./pages/auth/set-up-page.tsx"), "SetUpPage"),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyRouteComponent(() => import("./pages/auth/forgot-password-page.tsx"), "ForgotPasswordPage"),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  validateSearch: stringParams("token"),
  component: lazyRouteComponent(() => import("./pages/auth/reset-password-page.tsx"), "ResetPasswordPage"),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitations/$invitationId",
  component: lazyRouteComponent(() => import("./pages/auth/invitation-page.tsx"), "InvitationPage"),
});

// Pages that need a session, which is loaded before they render.
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  errorComponent: FailedShell,
  loader: async ({ location }) => {
    const session = await requireSession(location.href);
    const agents = session.organization ? await queryClient.ensureQueryData(endpointQuery("listAgents")) : [];
    return { session, agents };
  },
});
const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: stringParams<"error">("error"),
  beforeLoad: async ({ location, search }) => {
    // Failed sign-in links end here with a reason. Users without a session see it on the sign-in page.
    const { organization } = await requireSession(location.href, search.error);
    if (!organization) return;
    const agents = await queryClient.ensureQueryData(endpointQuery("listAgents"));
    const agent = agents.find(({ id }) => id === lastAgentId()) ?? agents[0];
    if (!agent) throw redirect({ to: "/start" });
    throw redirect({ to: "/agents/$agentId/conversations", params: { agentId: agent.id } });
  },
});
const start = createRoute({
  getParentRoute: () => shell,
  path: "/start",
  validateSearch: stringParams("agentId", "step"),
  component: lazyRouteComponent(() => import("./pages/onboarding/onboarding-page.tsx"), "OnboardingPage"),
});
const agents = createRoute({
  getParentRoute: () => shell,
  path: "/agents",
  component: lazyRouteComponent(() => import("./pages/agents/agents-page.tsx"), "AgentsPage"),
});

// Pages of one agent. The agent is loaded first, so it exists and belongs to the organization.
const agent = createRoute({
  getParentRoute: () => shell,
  path: "/agents/$agentId",
  component: Outlet,
  loader: ({ params }) => queryClient.ensureQueryData(endpointQuery("getAgent", { id: params.agentId })),
});
const agentEditor = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/agents/agent-page.tsx"), "AgentPage"),
});
const appearance = createRoute({
  getParentRoute: () => agent,
  path: "/appearance",
  component: lazyRouteComponent(() => import("./pages/agents/appearance-page.tsx"), "AppearancePage"),
});
const embedding = createRoute({
  getParentRoute: () => agent,
  path: "/embed",
  component: lazyRouteComponent(() => import("./pages/agents/embed-page.tsx"), "EmbedPage"),
});
const tools = createRoute({
  getParentRoute: () => agent,
  path: "/tools",
  loader: ({ params: { agentId } }) => queryClient.ensureQueryData(endpointQuery("listTools", { agentId })),
  component: lazyRouteComponent(() => import("./pages/tools/tools-page.tsx"), "ToolsPage"),
});
const newTool = createRoute({
  getParentRoute: () => agent,
  path: "/tools/new",
  validateSearch: stringParams("kind", "part"),
  component: lazyRouteComponent(() => import("./pages/tools/tool-page.tsx"), "NewToolPage"),
});
const tool = createRoute({
  getParentRoute: () => agent,
  path: "/tools/$toolId",
  validateSearch: stringParams("part"),
  loader: ({ params: { toolId } }) => queryClient.ensureQueryData(endpointQuery("getTool", { id: toolId })),
  component: lazyRouteComponent(() => import("./pages/tools/tool-page.tsx"), "ToolPage"),
});
const triggers = createRoute({
  getParentRoute: () => agent,
  path: "/triggers",
  component: lazyRouteComponent(() => import("./pages/triggers/triggers-page.tsx"), "TriggersPage"),
});
const newTrigger = createRoute({
  getParentRoute: () => agent,
  path: "/triggers/new",
  validateSearch: stringParams("template"),
  component: lazyRouteComponent(() => import("./pages/triggers/new-trigger-page.tsx"), "NewTriggerPage"),
});
const trigger = createRoute({
  getParentRoute: () => agent,
  path: "/triggers/$triggerId",
  component: lazyRouteComponent(() => import("./pages/triggers/trigger-page.tsx"), "TriggerPage"),
});
const knowledge = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge",
  validateSearch: (search: Record<string, unknown>): KnowledgeSearch => ({
    ...stringParams("q", "state", "kind")(search),
    ...(isPageNumber(search.page) ? { page: search.page } : {}),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { agentId }, deps }) => {
    void queryClient.prefetchQuery(endpointQuery("listDocuments", listQuery(agentId, deps)));
    return queryClient.ensureQueryData(endpointQuery("getDocumentLimits", { agentId }));
  },
  component: lazyRouteComponent(() => import("./pages/knowledge/knowledge-page.tsx"), "KnowledgePage"),
});
const sites = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/sites",
  loader: ({ params: { agentId } }) => queryClient.prefetchQuery(endpointQuery("listSources", { agentId })),
  component: lazyRouteComponent(() => import("./pages/knowledge/sites-page.tsx"), "SitesPage"),
});
const unanswered = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/unanswered",
  validateSearch: (search: Record<string, unknown>): UnansweredSearch => ({
    ...stringParams("reason", "period")(search),
    ...(isPageNumber(search.page) ? { page: search.page } : {}),
  }),
  component: lazyRouteComponent(() => import("./pages/knowledge/unanswered-page.tsx"), "UnansweredPage"),
});
const document = createRoute({
  getParentRoute: () => agent,
  path: "/knowledge/$documentId",
  loader: ({ params: { documentId } }) => queryClient.ensureQueryData(endpointQuery("getDocument", { id: documentId })),
  component: lazyRouteComponent(() => import("./pages/knowledge/document-page.tsx"), "DocumentPage"),
});
const conversations = createRoute({
  getParentRoute: () => agent,
  path: "/conversations",
  validateSearch: stringParams("q", "feedback", "from", "to", "userId", "hasForm", "failed", "test"),
  component: lazyRouteComponent(() => import("./pages/conversations/conversations-page.tsx"), "ConversationsPage"),
});
// Rendered by the page with the list, which keeps its scroll position.
const conversation = createRoute({ getParentRoute: () => conversations, path: "/$conversationId" });
const analytics = createRoute({
  getParentRoute: () => agent,
  path: "/analytics",
  validateSearch: stringParams("range", "from", "to", "scope"),
  component: lazyRouteComponent(() => import("./pages/analytics/analytics-page.tsx"), "AnalyticsPage"),
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
  component: lazyRouteComponent(() => import("./pages/forms/submissions-page.tsx"), "SubmissionsPage"),
});
const formAnalytics = createRoute({
  getParentRoute: () => agent,
  path: "/forms/analytics",
  validateSearch: stringParams<"toolId" | "range">("toolId", "range"),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { agentId }, deps: { range } }) => {
    void queryClient.prefetchQuery(endpointQuery("listTools", { agentId }));
    void queryClient.prefetchQuery(endpointQuery("getFormAnalytics", analyticsQuery(agentId, rangeOf(range))));
  },
  component: lazyRouteComponent(() => import("./pages/forms/form-analytics-page.tsx"), "FormAnalyticsPage"),
});
const submission = createRoute({
  getParentRoute: () => agent,
  path: "/forms/$submissionId",
  loader: ({ params: { agentId, submissionId } }) => {
    void queryClient.prefetchQuery(endpointQuery("listTools", { agentId }));
    void queryClient.prefetchQuery(endpointQuery("getSubmission", { id: submissionId }));
  },
  component: lazyRouteComponent(() => import("./pages/forms/submission-page.tsx"), "SubmissionPage"),
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

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings/settings-layout.tsx"), "SettingsLayout"),
});
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: "/",
  beforeLoad: async ({ location }) => {
    const { role } = await requireSession(location.href);
    throw redirect({ to: settingsPages.find((page) => canOpen(role, page))?.to ?? "/settings/you" });
  },
});
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: "/api",
  loader: () => prefetch("listApiKeys"),
  component: lazyRouteComponent(() => import("./pages/settings/keys/api-keys-page.tsx"), "ApiKeysPage"),
});
const members = createRoute({
  getParentRoute: () => settings,
  path: "/members",
  loader: () => prefetch("listMembers"),
  component: lazyRouteComponent(() => import("./pages/settings/members/members-page.tsx"), "MembersPage"),
});
const secrets = createRoute({
  getParentRoute: () => settings,
  path: "/secrets",
  loader: () => prefetch("listSecrets"),
  component: lazyRouteComponent(() => import("./pages/settings/secrets/secrets-page.tsx"), "SecretsPage"),
});
const models = createRoute({
  getParentRoute: () => settings,
  path: "/models",
  loader: () => prefetch("listProviders"),
  component: lazyRouteComponent(() => import("./pages/settings/models/models-page.tsx"), "ModelsPage"),
});
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("./pages/settings/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});
const visitors = createRoute({
  getParentRoute: () => settings,
  path: "/visitors",
  component: lazyRouteComponent(() => import("./pages/settings/visitors/visitor-data-page.tsx"), "VisitorDataPage"),
});
const plan = createRoute({
  getParentRoute: () => settings,
  path: "/plan",
  component: lazyRouteComponent(() => import("./pages/settings/plan/plan-page.tsx"), "PlanPage"),
});
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: "/audit-log",
  // Without this, unknown search parameters would be kept.
  validateSearch: ({ page }: Record<string, unknown>): { page?: number | undefined } => ({
    page: Number(page) > 1 && Number(page) < 10_000_000 ? Math.trunc(Number(page)) : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/settings/audit/audit-log-page.tsx"), "AuditLogPage"),
});
const health = createRoute({
  getParentRoute: () => settings,
  path: "/health",
  component: lazyRouteComponent(() => import("./pages/settings/health/health-page.tsx"), "HealthPage"),
});
const profile = createRoute({
  getParentRoute: () => settings,
  path: "/you",
  component: lazyRouteComponent(() => import("./pages/settings/profile/profile-page.tsx"), "ProfilePage"),
});

// Unknown URLs keep the navigation.
const notFound = createRoute({ getParentRoute: () => shell, path: "$", component: NotFoundPage });

const accessPages = [settingsHome, apiKeys, members, secrets, models] as const;
const routeTree = root.addChildren([
  signIn,
  signUp,
  setUp,
  forgotPassword,
  resetPassword,
  invitation,
  shell.addChildren([
    home,
    start,
    agents,
    agent.addChildren([
      agentEditor,
      appearance,
      embedding,
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
    ]),
    mailedSubmission,
    notFound,
    settings.addChildren([...accessPages, webhooks, visitors, plan, auditLog, health, profile]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: "/dashboard",
  parseSearch: parseSearchWith(parseExactly),
  stringifySearch: stringifySearchWith(JSON.stringify, parseExactly),
  defaultPreload: "intent",
  // The query client caches data. The router only starts queries early.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: NotFoundPage,
  // The inbox manages its own scroll positions: the list keeps its position, and a conversation opens at its start.
  scrollRestoration: ({ location }) => !/^\/agents\/[^/]+\/conversations/.test(location.pathname),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** Loads the session. Without one, redirects to the sign-in page, and back to `href` afterwards. */
async function requireSession(href: string, error?: string) {
  try {
    return await queryClient.ensureQueryData(endpointQuery("getSession"));
  } catch (cause) {
    if (!isSignedOut(cause)) throw cause;
    throw redirect({ to: "/sign-in", search: { next: `/dashboard${href}`, ...(error ? { error } : {}) } });
  }
}

/** Starts queries before the page renders. The page itself shows errors. */
function prefetch(...names: EndpointName[]) {
  return Promise.allSettled(names.map((name) => queryClient.ensureQueryData(endpointQuery(name))));
}
