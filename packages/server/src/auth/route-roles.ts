import { type Role, roles } from "@foyer/contract";

type Line = readonly [methods: "any" | "read" | "change", start: string, least: Role];

/**
 * What each role may do: the first line that fits an address decides, and what no line names is a member's: reading and
 * editing agents and all that belongs to them. An API key has the role of the member who created it.
 */
const table: readonly Line[] = [
  ["any", "/audit-log", "owner"],
  ["any", "/members/links", "owner"],
  ["change", "/members", "admin"],
  ["change", "/organization", "admin"],
  ["any", "/invitations", "admin"],
  ["any", "/api-keys", "admin"],
  ["any", "/secrets", "admin"],
  ["any", "/agents/:id/identity-secret", "admin"],
  ["any", "/tools/:id/webhook-secret", "admin"],
  ["any", "/models/providers", "admin"],
  ["change", "/mail-recipients", "admin"],
  ["any", "/doctor", "admin"],
];

/** The least role that may call this route of an organization. `url` is the route's pattern. */
export function leastRole(method: string, url: string): Role {
  const kind = method === "GET" || method === "HEAD" ? "read" : "change";
  const line = table.find(
    ([methods, start]) => (methods === "any" || methods === kind) && (url === start || url.startsWith(`${start}/`)),
  );
  return line?.[2] ?? "member";
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** A role as the database has it; one that this version does not know counts as the least. */
export function toRole(text: string): Role {
  return roles.find((role) => role === text) ?? "member";
}
