import { useStore } from "../store.ts";
import type { Light } from "./face.tsx";
import { usePanel } from "./panel-context.ts";
import { useBrowserValue } from "./use-browser-value.ts";

/** Whether the agent can answer now, is answering, or cannot: the visitor is offline, or the last reply failed. */
export function useAgentLight(): { light: Light; isOffline: boolean } {
  const { entries, running } = useStore(usePanel().chat.store);
  const isOffline = useBrowserValue(() => !navigator.onLine, window, "online", "offline");
  const last = entries.findLast((entry) => entry.type === "reply");
  const isDark = isOffline || /failed|lost|refused/.test(last?.state ?? "");
  return { light: isDark ? "dark" : running ? "glowing" : "lit", isOffline };
}
