import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { browserTargets } from "../../scripts/build-targets.ts";
import { findUnsupportedApis } from "./unsupported-apis.ts";

const packages = join(import.meta.dirname, "../../packages");

/** Newer APIs that the code, or a library in the build, calls only in browsers that have them. */
const checkedAtRunTime: Record<"widget" | "dashboard", string[]> = {
  // Preact moves keyed nodes with `moveBefore`; the widget's own two have fallbacks.
  widget: [".moveBefore()", "navigation", "requestIdleCallback"],
  // The dashboard previews conversations with the widget's code, Preact included. It marks search hits with
  // `Highlight`. Only the server reads results with exact numbers, which `JSON.isRawJSON` recognizes.
  dashboard: [".moveBefore()", ".startViewTransition()", "Highlight", "JSON.isRawJSON"],
};

it.each(["widget", "dashboard"] as const)(
  "the built %s uses only APIs that its oldest supported browsers have",
  (name) => {
    const files = globSync(join(packages, name, "dist/**/*.js"));
    expect(files.length).toBeGreaterThan(3);
    const found = files.flatMap((file) => findUnsupportedApis(readFileSync(file, "utf8"), browserTargets[name]));
    expect([...new Set(found)].sort()).toEqual(checkedAtRunTime[name]);
  },
);

it("unsupported-apis finds globals, static members and methods that a browser lacks", () => {
  const code = `
    const a = URL.canParse(x) ? new URL(x) : URL.parse(x);
    const { promise } = Promise.withResolvers();
    structuredClone([1].toSorted().at(-1));
    new CloseWatcher();
    globalThis.navigation?.back();
    own.take();
  `;
  expect(findUnsupportedApis(code, browserTargets.widget)).toEqual([
    ".toSorted()",
    "CloseWatcher",
    "Promise.withResolvers",
    "URL.canParse",
    "URL.parse",
    "navigation",
  ]);
  expect(findUnsupportedApis(code, { chrome: 150, firefox: 150, safari: 26.4 })).toEqual(["CloseWatcher"]);
});
