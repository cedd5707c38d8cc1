import { buildDashboard, dashboard } from "../scripts/build-dashboard.ts";
import { buildDocs, docs } from "../scripts/build-docs.ts";
import { buildWidget, widget } from "../scripts/build-widget.ts";
import { isBuilt } from "../scripts/built-files.ts";

/** Builds the widget and the dashboard from their current sources for the pages that tests open. */
export async function setup(): Promise<void> {
  if (!isBuilt(widget)) await buildWidget();
  if (!isBuilt(dashboard)) await buildDashboard();
  if (!isBuilt(docs)) await buildDocs();
}
