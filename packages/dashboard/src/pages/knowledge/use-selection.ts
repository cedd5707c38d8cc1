import { useState } from "react";

/**
 * The selected rows of a list. Changing the `view`, such as the page or a filter, clears the selection, so that an
 * action never affects rows that are not visible.
 */
export function useSelection(view: string) {
  const [selection, setSelection] = useState({ view, ids: new Set<string>() as ReadonlySet<string> });
  const ids: ReadonlySet<string> = selection.view === view ? selection.ids : new Set();
  return {
    ids,
    /** Adds rows to the selection or removes them from it. */
    select(changed: readonly string[], isSelected: boolean) {
      const next = new Set(ids);
      for (const id of changed) {
        if (isSelected) next.add(id);
        else next.delete(id);
      }
      setSelection({ view, ids: next });
    },
    clear: () => setSelection({ view, ids: new Set() }),
  };
}
