import { buildDashboard } from "./build-dashboard.ts";
import { buildWidget } from "./build-widget.ts";

await buildWidget();
await buildDashboard();
