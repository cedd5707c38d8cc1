/** The oldest supported browser versions. Safari's version applies to both iOS and macOS. */
export type BrowserVersions = { chrome: number; firefox: number; safari: number };

/** The widget runs on other people's sites, so it supports older browsers than the dashboard. */
export const browserTargets: Record<"widget" | "dashboard", BrowserVersions> = {
  widget: { chrome: 109, firefox: 115, safari: 16.4 },
  dashboard: { chrome: 123, firefox: 120, safari: 17.5 },
};

/** The same versions in the form of Vite's `build.target`, which converts newer syntax but adds no missing APIs. */
export function buildTargets(versions: BrowserVersions): string[] {
  return Object.entries(versions).map(([name, version]) => `${name}${version}`);
}

/** The parts of the widget that the loader fetches on first use, and their entry points. */
export const widgetParts = {
  panel: "frame/panel.tsx",
  visitor: "start/visitor-part.ts",
  triggers: "triggers/watch-triggers.ts",
  actions: "triggers/actions/trigger-actions.ts",
  tools: "tools/page-tools.ts",
  debug: "triggers/debug/open-debug.ts",
};
