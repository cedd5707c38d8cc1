import type { actOnTriggers } from "../triggers/actions/run-actions.ts";
import type { openDebug } from "../triggers/debug/open-debug.ts";
import type { watchTriggers } from "../triggers/watch-triggers.ts";
import type { MountPanel, WidgetCore } from "./widget-core.ts";

/** What is loaded when it is needed first, and what each file exports. */
type Parts = {
  panel: { mountPanel: MountPanel };
  triggers: { watchTriggers: typeof watchTriggers };
  acting: { actOnTriggers: typeof actOnTriggers };
  debug: { openDebug: typeof openDebug };
};

/** The files, whose names change with what is in them; the build puts them here. */
declare const PART_FILES: Record<keyof Parts, string>;

/**
 * Fetches a part. When a page stayed open longer than the server's version, its file is gone: then the current one is
 * taken. A module that failed once is never fetched again under the same address, hence the number.
 */
export function loadPart<Name extends keyof Parts>(
  { options }: Pick<WidgetCore, "options">,
  name: Name,
): Promise<Parts[Name]> {
  const load = (file: string) => import(/* @vite-ignore */ `${options.baseUrl}/widget/${file}`);
  return load(PART_FILES[name]).catch(() => load(`${name}.js?${++attempts}`));
}

let attempts = 0;
