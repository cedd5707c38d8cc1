import type { ConversationTag } from "@foyer/contract";
import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { endpointQuery, queryClient } from "../../data/queries.ts";
import { type InboxSearch, isTeamView, type ListQuery, toListQuery } from "./inbox-search.ts";
import {
  createPageQuery,
  findMissingPages,
  type ListPage,
  type ListWindow,
  openWindow,
  PAGE,
  withHeldTop,
  without,
  withPage,
  withRead,
  withTags,
  withTop,
} from "./list-window.ts";
import { useSavedView } from "./saved-view-text.ts";

/** Delay in milliseconds, so that pages that are only scrolled past are not fetched. */
const SETTLE_MS = 60;

/**
 * The conversations that match the URL: the top of the list, refetched when it may have changed, and further pages as
 * they scroll into view. While another search is running, the list stays as it was and is `isStale`.
 *
 * @param isAtTop whether the top of the list is visible, where conversations may move to without a click
 */
export function useConversationList(agentId: string, search: InboxSearch, isAtTop: () => boolean) {
  const filters = useMemo(() => toListQuery(agentId, search), [agentId, search]);
  const saved = useSavedView(search);
  // The views of conversations that need people have an order of their own, such as the longest wait first.
  const isByActivity = saved ? saved.sort === "activity" : !isTeamView(search);
  const query = useMemo<ListQuery>(
    () => (isByActivity ? { ...filters, sort: "activity" } : filters),
    [filters, isByActivity],
  );
  const key = JSON.stringify(query);
  const [held, setHeld] = useState<{ key: string; window: ListWindow } | null>(null);
  // Refetched when the server pushes that something happened.
  const top = useQuery(endpointQuery("listConversations", { ...query, limit: PAGE }));

  useEffect(() => {
    if (!top.data) return;
    const answer = toAnswer(top.data, 0);
    setHeld((held) => {
      if (held?.key !== key) return { key, window: openWindow(answer) };
      const isHeld = isByActivity && !isAtTop();
      return { key, window: isHeld ? withHeldTop(held.window, answer) : withTop(held.window, answer) };
    });
  }, [top.data, key, isAtTop, isByActivity]);

  const change = useCallback(
    (act: (window: ListWindow) => ListWindow) =>
      setHeld((held) => held && (held.key === key ? { key, window: act(held.window) } : held)),
    [key],
  );
  const window = held?.window ?? null;
  const isCurrent = held?.key === key;
  const { onRowsShown, isBroken, tryAgain } = useMissingPages(query, isCurrent ? window : null, change);

  return {
    window,
    /** Differs for each search whose conversations are shown. */
    key: held?.key,
    columns: saved?.columns,
    /** The filters, without the order. */
    filters,
    onRowsShown,
    isBroken,
    tryAgain,
    isStale: window !== null && !isCurrent,
    /** The error if nothing can be shown. */
    error: isCurrent ? null : top.error,
    retry: () => top.refetch(),
    showNew: () => change((window) => (top.data ? withTop(window, toAnswer(top.data, 0)) : window)),
    markRead: useCallback((id: string) => change((window) => withRead(window, id)), [change]),
    setTags: useCallback(
      (id: string, tags: readonly ConversationTag[]) => change((window) => withTags(window, id, tags)),
      [change],
    ),
    remove: (id: string) => change((window) => without(window, id)),
  };
}

/** Fetches visible pages that are missing, and cancels requests for pages that are no longer visible. */
function useMissingPages(
  query: ListQuery,
  window: ListWindow | null,
  change: (act: (window: ListWindow) => ListWindow) => void,
) {
  const [range, setRange] = useState<readonly [first: number, last: number]>([0, 0]);
  const [broken, setBroken] = useState<readonly [isBroken: boolean, attempt: number]>([false, 0]);
  const [isBroken, attempt] = broken;
  const running = useRef(new Map<string, ListQuery>());

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt fetches again
  useEffect(() => {
    if (!window) return;
    const ask = () => {
      const wanted = findMissingPages(window, ...range).map((page) => ({
        at: page * PAGE,
        input: { ...query, ...createPageQuery(window, page) },
      }));
      const names = new Set(wanted.map(({ input }) => JSON.stringify(input)));
      for (const [name, input] of running.current) {
        if (!names.has(name)) queryClient.cancelQueries({ queryKey: ["listConversations", input], exact: true });
      }
      for (const { at, input } of wanted) void load(at, input);
    };
    const load = async (at: number, input: ListQuery) => {
      const name = JSON.stringify(input);
      if (running.current.has(name)) return;
      running.current.set(name, input);
      try {
        const page = await fetchPage(input);
        change((window) => withPage(window, toAnswer(page, at)));
        setBroken(([, attempt]) => [false, attempt]);
      } catch (error) {
        if (!isCancelled(error)) setBroken(([, attempt]) => [true, attempt]);
      } finally {
        running.current.delete(name);
      }
    };
    const timer = setTimeout(ask, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [query, window, range, change, attempt]);

  const onRowsShown = useCallback((first: number, last: number) => {
    setRange((range) => (range[0] === first && range[1] === last ? range : [first, last]));
  }, []);
  const tryAgain = () => setBroken(([, attempt]) => [false, attempt + 1]);
  return { onRowsShown, isBroken, tryAgain };
}

/** Not cached, because the list itself keeps the rows that it shows, and all other rows may have moved. */
function fetchPage(input: ListQuery) {
  return queryClient.fetchQuery({ ...endpointQuery("listConversations", input), staleTime: 0, gcTime: 0 });
}

function toAnswer({ data, pagination }: Output<"listConversations">, at: number): ListPage {
  return { rows: data, total: pagination.total, at, cursor: pagination.cursor };
}

const isCancelled = (error: unknown) => error instanceof Error && error.name === "CancelledError";
