import { maxBulkIds } from "@foyer/contract/rules/limits";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { notify } from "../../data/toasts.ts";
import { findPosition, type ListWindow, rowAt } from "./list-window.ts";

type Chosen = {
  /** The list that the conversations were selected in. */
  key: string;
  ids: ReadonlySet<string>;
  /** Whether everything that the list finds is selected. */
  isAll: boolean;
  /** Whether the rows show their checkboxes without a pointer over them. */
  isOn: boolean;
};

export type Selection = ReturnType<typeof useSelection>;

const nothing = { ids: new Set<string>(), isAll: false, isOn: false };

/**
 * The conversations that a bulk action would change. Another search, filter or view clears the selection, because it
 * would contain conversations that are not visible.
 */
export function useSelection(key: string, list: ListWindow | null) {
  const [chosen, setChosen] = useState<Chosen>({ key, ...nothing });
  if (chosen.key !== key) setChosen({ key, ...nothing });
  /** The conversation from which a range extends. */
  const anchor = useRef<string | null>(null);
  const latest = useRef({ list, chosen });
  useEffect(() => {
    latest.current = { list, chosen };
  });
  const select = useCallback(
    (ids: ReadonlySet<string>) => {
      if (ids.size > maxBulkIds) return void notify(`Up to ${maxBulkIds} conversations can be selected one by one.`);
      setChosen({ key, ids, isAll: false, isOn: ids.size > 0 });
    },
    [key],
  );
  /** Selects a conversation or removes it from the selection. With `isRange`, selects those since the last one. */
  const toggle = useCallback(
    (id: string, isRange = false) => {
      const { list, chosen } = latest.current;
      // Removing one from everything selects the others that have loaded.
      const ids = new Set(chosen.isAll && list ? listLoaded(list) : chosen.ids);
      const range = isRange && list && anchor.current ? listRange(list, anchor.current, id) : [];
      if (range.length > 0) for (const one of range) ids.add(one);
      else if (!ids.delete(id)) ids.add(id);
      anchor.current = id;
      select(ids);
    },
    [select],
  );
  const { ids, isAll, isOn } = chosen;
  return useMemo(
    () => ({
      ids,
      isAll,
      isOn,
      toggle,
      has: (id: string) => isAll || ids.has(id),
      isEmpty: ids.size === 0 && !isAll,
      /** Shows the checkboxes, for pointers that cannot hover. */
      start: () => setChosen({ key, ...nothing, isOn: true }),
      selectAll: () => setChosen({ key, ids: new Set(), isAll: true, isOn: true }),
      clear: () => setChosen({ key, ...nothing }),
    }),
    [ids, isAll, isOn, toggle, key],
  );
}

const listLoaded = ({ entries }: ListWindow) => Array.from(entries.values(), ({ row }) => row.id);

/** The loaded conversations between two, both included, or none if one of them is not in the list. */
function listRange(list: ListWindow, from: string, to: string): string[] {
  const ends = [findPosition(list, from), findPosition(list, to)];
  const [first, last] = [Math.min(...ends), Math.max(...ends)];
  if (first === -1) return [];
  const ids: string[] = [];
  for (let at = first; at <= last; at++) {
    const row = rowAt(list, at);
    if (row) ids.push(row.id);
  }
  return ids;
}
