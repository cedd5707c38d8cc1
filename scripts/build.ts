import { buildDashboard } from "./build-dashboard.ts";
import { buildDocs } from "./build-docs.ts";
import { buildWidget } from "./build-widget.ts";

await buildWidget();
await buildDashboard();
await buildDocs();
