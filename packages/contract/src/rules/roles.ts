/** The roles of members, from lowest to highest. */
export const roles = ["member", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

type Line = readonly [methods: "any" | "read" | "change", start: string, minimum: Role];

/** What is deleted permanently, by the pattern of the URL. Members move these things to the trash. */
const permanentDeletions = [
  "/trash",
  "/trash/:id",
  "/agents/:id",
  "/conversations/:id",
  "/documents/:id",
  "/tools/:id",
  "/triggers/:id",
  "/sources/:id",
  "/form-submissions/:id",
];

/** The settings of an agent that decide about safety and money, which only admins and owners change. */
export const adminAgentSettings = [
  "allowedOrigins",
  "requireIdentity",
  "publishRequiresTests",
  "monthlyTokenBudget",
  "monthlyCostBudget",
  "retention",
] as const;

/**
 * The roles required by routes. The first matching line decides. All other routes, such as reading and editing agents,
 * are open to members. An API key has the role of the member who created it.
 */
const table: readonly Line[] = [
  ["any", "/audit-log", "owner"],
  ["any", "/members/links", "owner"],
  ["change", "/members", "admin"],
  ["change", "/organization", "admin"],
  ["any", "/invitations", "admin"],
  ["any", "/api-keys", "admin"],
  ["any", "/secrets", "admin"],
  ["change", "/agents/apply", "admin"],
  ["any", "/agents/:id/identity-secret", "admin"],
  ["any", "/agents/:id/identity-token/check", "member"],
  ["any", "/agents/:id/identity-token", "admin"],
  ["any", "/tools/:id/webhook-secret", "admin"],
  ["any", "/models/providers", "admin"],
  ["change", "/models/prices", "admin"],
  ["change", "/models/settings", "admin"],
  ["change", "/documents/embeddings", "admin"],
  ["change", "/mail-recipients", "admin"],
  ["any", "/visitors/:key", "member"],
  ["any", "/visitors", "admin"],
  ["any", "/doctor", "admin"],
  ["any", "/webhooks/:id/secret", "admin"],
  ["change", "/webhooks", "admin"],
  ["change", "/notice-channels/:id/link-code", "member"],
  ["change", "/notice-channels/:id/link", "member"],
  ["change", "/notice-channels", "admin"],
  ["change", "/events/feed", "admin"],
  ["change", "/teams", "admin"],
];

/** The lowest role that may call a route. `url` is the route's pattern. */
export function minimumRole(method: string, url: string): Role {
  if (method === "DELETE" && permanentDeletions.includes(url)) return "admin";
  const kind = method === "GET" || method === "HEAD" ? "read" : "change";
  const line = table.find(
    ([methods, start]) => (methods === "any" || methods === kind) && (url === start || url.startsWith(`${start}/`)),
  );
  return line?.[2] ?? "member";
}

/** Whether the role has at least the rights of `minimum`. */
export function isAtLeast(role: Role, minimum: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(minimum);
}

/** Converts a stored role. A role that is unknown to this version counts as `member`. */
export function toRole(text: string): Role {
  return roles.find((role) => role === text) ?? "member";
}
