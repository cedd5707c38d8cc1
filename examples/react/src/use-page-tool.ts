import type { FoyerApi, ToolHandler, ToolOptions } from "@foyer/widget";
import { useEffect, useRef } from "react";

/**
 * Lets the agent call a function of this component. Create a tool of the kind "Page action" with the same name in the
 * dashboard. `run` may be a new function on every render; a call uses the newest one. `confirm` is the question that the
 * visitor answers first.
 */
export function usePageTool(
  foyer: FoyerApi | null,
  { name, run, confirm }: { name: string; run: ToolHandler } & ToolOptions,
): void {
  const newest = useRef(run);
  useEffect(() => {
    newest.current = run;
  });
  useEffect(() => {
    foyer?.registerTool(name, (input) => newest.current(input), confirm ? { confirm } : {});
  }, [foyer, name, confirm]);
}
