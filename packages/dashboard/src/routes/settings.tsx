import { type TrashKind, trashKinds } from "@foyer/contract/rules/trash-kinds";
import type { EndpointName } from "@foyer/sdk";
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { endpointQuery, queryClient } from "../data/queries.ts";
import { stringParams } from "../search-params.ts";
import { canOpen, settingsPages } from "../shell/destinations.tsx";
import { requireSession, shell } from "./root.tsx";

type TrashSearch = { kind?: TrashKind | undefined; page?: number | undefined };

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/settings/settings-layout.tsx"), "SettingsLayout"),
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
  component: lazyRouteComponent(() => import("../pages/settings/keys/api-keys-page.tsx"), "ApiKeysPage"),
});
const notices = createRoute({
  getParentRoute: () => settings,
  path: "/notices",
  loader: () => prefetch("getNoticeSettings", "listNoticeChannels"),
  component: lazyRouteComponent(() => import("../pages/settings/notices/notices-page.tsx"), "NoticesPage"),
});
const members = createRoute({
  getParentRoute: () => settings,
  path: "/members",
  loader: () => prefetch("listMembers"),
  component: lazyRouteComponent(() => import("../pages/settings/members/members-page.tsx"), "MembersPage"),
});
const trash = createRoute({
  getParentRoute: () => settings,
  path: "/trash",
  validateSearch: ({ kind, page }: Record<string, unknown>): TrashSearch => ({
    kind: trashKinds.find((known) => known === kind),
    page: Number(page) > 1 && Number(page) < 10_000_000 ? Math.trunc(Number(page)) : undefined,
  }),
  component: lazyRouteComponent(() => import("../pages/settings/trash/trash-page.tsx"), "TrashPage"),
});
const secrets = createRoute({
  getParentRoute: () => settings,
  path: "/secrets",
  loader: () => prefetch("listSecrets"),
  component: lazyRouteComponent(() => import("../pages/settings/secrets/secrets-page.tsx"), "SecretsPage"),
});
const cannedReplies = createRoute({
  getParentRoute: () => settings,
  path: "/canned-replies",
  loader: () => prefetch("listCannedReplies"),
  component: lazyRouteComponent(
    () => import("../pages/settings/canned-replies/canned-replies-page.tsx"),
    "CannedRepliesPage",
  ),
});
const teams = createRoute({
  getParentRoute: () => settings,
  path: "/teams",
  loader: () => prefetch("listTeams"),
  component: lazyRouteComponent(() => import("../pages/settings/teams/teams-page.tsx"), "TeamsPage"),
});
const tags = createRoute({
  getParentRoute: () => settings,
  path: "/tags",
  loader: () => prefetch("listTags"),
  component: lazyRouteComponent(() => import("../pages/settings/tags/tags-page.tsx"), "TagsPage"),
});
const models = createRoute({
  getParentRoute: () => settings,
  path: "/models",
  loader: () => prefetch("listProviders"),
  component: lazyRouteComponent(() => import("../pages/settings/models/models-page.tsx"), "ModelsPage"),
});
const prices = createRoute({
  getParentRoute: () => settings,
  path: "/models/prices",
  loader: () => prefetch("listModelPrices"),
  component: lazyRouteComponent(() => import("../pages/settings/prices/prices-page.tsx"), "PricesPage"),
});
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks",
  loader: () => prefetch("listWebhooks", "getEventFeed"),
  component: lazyRouteComponent(() => import("../pages/settings/webhooks/webhooks-page.tsx"), "WebhooksPage"),
});
const webhook = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks/$webhookId",
  validateSearch: stringParams("status"),
  loader: ({ params: { webhookId } }) => queryClient.ensureQueryData(endpointQuery("getWebhook", { id: webhookId })),
  component: lazyRouteComponent(() => import("../pages/settings/webhooks/webhook-page.tsx"), "WebhookPage"),
});
const visitors = createRoute({
  getParentRoute: () => settings,
  path: "/visitors",
  component: lazyRouteComponent(() => import("../pages/settings/visitors/visitor-data-page.tsx"), "VisitorDataPage"),
});
const plan = createRoute({
  getParentRoute: () => settings,
  path: "/plan",
  component: lazyRouteComponent(() => import("../pages/settings/plan/plan-page.tsx"), "PlanPage"),
});
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: "/audit-log",
  // Without this, unknown search parameters would be kept.
  validateSearch: ({ page }: Record<string, unknown>): { page?: number | undefined } => ({
    page: Number(page) > 1 && Number(page) < 10_000_000 ? Math.trunc(Number(page)) : undefined,
  }),
  component: lazyRouteComponent(() => import("../pages/settings/audit/audit-log-page.tsx"), "AuditLogPage"),
});
const health = createRoute({
  getParentRoute: () => settings,
  path: "/health",
  component: lazyRouteComponent(() => import("../pages/settings/health/health-page.tsx"), "HealthPage"),
});
const profile = createRoute({
  getParentRoute: () => settings,
  path: "/you",
  component: lazyRouteComponent(() => import("../pages/settings/profile/profile-page.tsx"), "ProfilePage"),
});

export const settingsRoutes = settings.addChildren([
  settingsHome,
  apiKeys,
  notices,
  members,
  teams,
  cannedReplies,
  tags,
  trash,
  secrets,
  models,
  prices,
  webhooks,
  webhook,
  visitors,
  plan,
  auditLog,
  health,
  profile,
]);

/** Starts queries before the page renders. The page itself shows errors. */
function prefetch(...names: EndpointName[]) {
  return Promise.allSettled(names.map((name) => queryClient.ensureQueryData(endpointQuery(name))));
}
