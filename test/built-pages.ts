import { buildDashboard, dashboard } from "../scripts/build-dashboard.ts";
import { buildDocs, docs } from "../scripts/build-docs.ts";
import { buildWidget, widget } from "../scripts/build-widget.ts";
import { isBuilt } from "../scripts/built-files.ts";

/** The pages that tests open get the widget and the dashboard as their sources are now. */
export async function setup(): Promise<void> {
  if (!isBuilt(widget)) await buildWidget();
  if (!isBuilt(dashboard)) await buildDashboard();
  if (!isBuilt(docs)) await buildDocs();
}
