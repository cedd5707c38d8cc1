import type { createVisitorSession } from "../loader/visitor-session.ts";
import type { MountPanel, WidgetCore } from "../loader/widget-core.ts";
import type { createPageTools } from "../tools/page-tools.ts";
import type { createTriggerActions } from "../triggers/actions/trigger-actions.ts";
import type { openDebug } from "../triggers/debug/open-debug.ts";
import type { createFiredTriggers } from "../triggers/fired-triggers.ts";
import type { watchTriggers } from "../triggers/watch-triggers.ts";

/** The parts that are loaded on demand, with the exports of each file. */
type Parts = {
  panel: { mountPanel: MountPanel };
  visitor: { createVisitorSession: typeof createVisitorSession; createFiredTriggers: typeof createFiredTriggers };
  triggers: { watchTriggers: typeof watchTriggers };
  actions: { createTriggerActions: typeof createTriggerActions };
  tools: { createPageTools: typeof createPageTools };
  debug: { openDebug: typeof openDebug };
};

/** The file names, which contain a hash of the content. The build inserts them. */
declare const PART_FILES: Record<keyof Parts, string>;

/**
 * Loads a part. If the server was updated while the page was open, the file no longer exists and the current one is
 * loaded instead. Browsers never request a module again under a URL that has failed, so each retry adds a number to
 * the URL.
 */
export function loadPart<Name extends keyof Parts>(
  { options }: Pick<WidgetCore, "options">,
  name: Name,
): Promise<Parts[Name]> {
  const load = (file: string) => import(/* @vite-ignore */ `${options.baseUrl}/widget/${file}`);
  return load(PART_FILES[name]).catch(() => load(`${name}.js?${++attempts}`));
}

let attempts = 0;
