import { readFileSync } from "node:fs";

/** A route comes after its parent. */
const sources = ["root", "auth", "shell", "agent", "settings"].map(
  (name) => new URL(`../packages/dashboard/src/routes/${name}.tsx`, import.meta.url),
);
const definition = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(?:path: "([^"]*)"|id: )/g;

/**
 * Every URL of the dashboard as defined by its routes, such as `/agents/$agentId/tools`. `isOutside` marks pages for
 * users who have not signed in.
 */
export function dashboardAddresses(): Array<{ address: string; isOutside: boolean }> {
  const prefixes = new Map([["root", ""]]);
  const found = new Map<string, boolean>();
  const text = sources.map((source) => readFileSync(source, "utf8")).join("\n");
  for (const [, name = "", parent = "", path] of text.matchAll(definition)) {
    const prefix = prefixes.get(parent);
    if (prefix === undefined) throw new Error(`the route ${parent} is used before it is defined`);
    const address = path === undefined ? prefix : `${prefix}/${path.replace(/^\/|\/$/g, "")}`.replace(/\/$/, "");
    prefixes.set(name, address);
    if (path !== undefined) found.set(address || "/", parent === "root");
  }
  return [...found].map(([address, isOutside]) => ({ address, isOutside }));
}
