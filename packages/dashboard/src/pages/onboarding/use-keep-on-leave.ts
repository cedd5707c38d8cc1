import { useBlocker } from "@tanstack/react-router";

/** Saves changes when the viewer leaves the step. If that fails, the viewer stays and sees the errors at the fields. */
export function useKeepOnLeave(isDirty: boolean, keep: () => Promise<boolean>): void {
  useBlocker({
    shouldBlockFn: async () => isDirty && !(await keep()),
    enableBeforeUnload: isDirty,
  });
}
