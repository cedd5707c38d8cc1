import { readFileSync } from "node:fs";

const source = new URL("../packages/dashboard/src/routes.tsx", import.meta.url);
const definition = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(?:path: "([^"]*)"|id: )/g;

/**
 * Every URL of the dashboard as defined by its routes, such as `/agents/$agentId/tools`. `isOutside`: for users who
 * have not signed in.
 */
export function dashboardAddresses(): Array<{ address: string; isOutside: boolean }> {
  const prefixes = new Map([["root", ""]]);
  const found = new Map<string, boolean>();
  for (const [, name = "", parent = "", path] of readFileSync(source, "utf8").matchAll(definition)) {
    const prefix = prefixes.get(parent);
    if (prefix === undefined) throw new Error(`routes.tsx uses the route ${parent} before it defines it`);
    const address = path === undefined ? prefix : `${prefix}/${path.replace(/^\/|\/$/g, "")}`.replace(/\/$/, "");
    prefixes.set(name, address);
    if (path !== undefined) found.set(address || "/", parent === "root");
  }
  return [...found].map(([address, isOutside]) => ({ address, isOutside }));
}
