import { buildPages } from "../scripts/build.ts";

/** Builds the widget and the dashboard from their current sources for the pages that tests open. */
export async function setup(): Promise<void> {
  await buildPages();
}
