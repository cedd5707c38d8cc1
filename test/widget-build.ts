import { buildWidget, isBuilt } from "../scripts/build-widget.ts";

/** The pages that tests open get the widget as its sources are now. */
export async function setup(): Promise<void> {
  if (!isBuilt()) await buildWidget();
}
