import { buildDashboard, dashboard } from "./build-dashboard.ts";
import { buildDocs, docs } from "./build-docs.ts";
import { buildServer, server } from "./build-server.ts";
import { buildWidget, widget } from "./build-widget.ts";
import { isBuilt } from "./built-files.ts";

if (import.meta.main) {
  await buildWidget();
  await buildDashboard();
  await buildDocs();
  await buildServer();
}

/** Builds the pages whose sources have changed. */
export async function buildPages(): Promise<void> {
  if (!isBuilt(widget)) await buildWidget();
  if (!isBuilt(dashboard)) await buildDashboard();
  if (!isBuilt(docs)) await buildDocs();
}

/** Builds everything whose sources have changed. */
export async function buildOutdated(): Promise<void> {
  await buildPages();
  if (!isBuilt(server)) await buildServer();
}
