import { useBlocker } from "@tanstack/react-router";

/** Saves changes when the user leaves the step. If saving fails, the user stays and sees the errors at the fields. */
export function useKeepOnLeave(isDirty: boolean, keep: () => Promise<boolean>): void {
  useBlocker({
    shouldBlockFn: async () => isDirty && !(await keep()),
    enableBeforeUnload: isDirty,
  });
}
