import { useBlocker } from "@tanstack/react-router";

/** Keeps what was written when the viewer goes elsewhere; what cannot be kept keeps the viewer here, with the reason at its field. */
export function useKeepOnLeave(isDirty: boolean, keep: () => Promise<boolean>): void {
  useBlocker({
    shouldBlockFn: async () => isDirty && !(await keep()),
    enableBeforeUnload: isDirty,
  });
}
