import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate, useParams, useRouter } from "@tanstack/react-router";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { rememberView } from "../../data/last-view.ts";
import { endpointQuery } from "../../data/queries.ts";
import type { DeskHandle } from "./conversation-desk.tsx";
import type { ListHandle } from "./conversation-list.tsx";
import { DeleteConversation } from "./delete-conversation.tsx";
import { hasAllAgents, type InboxSearch, isGeneral, type ListedConversation } from "./inbox-search.ts";
import { ShortcutsDialog } from "./inbox-shortcuts.tsx";
import { NoConversations, NoneSelected } from "./inbox-states.tsx";
import { ListPane } from "./list-pane.tsx";
import { findPosition, type ListWindow, rowAfter, rowAt } from "./list-window.ts";
import type { SelectionHandle } from "./selection-bar.tsx";
import { Transcript } from "./transcript.tsx";
import { useConversationList } from "./use-conversation-list.ts";
import { type InboxAct, useInboxKeys } from "./use-inbox-keys.ts";
import { useSelection } from "./use-selection.ts";
import { useWaitingGroup, type WaitingGroup } from "./waiting-first.tsx";

const route = getRouteApi("/shell/agents/$agentId/conversations");

/** The inbox: the list of conversations on the left and the open one on the right. Phones show one at a time. */
export function ConversationsPage() {
  const { agentId } = route.useParams();
  // The views show conversations of all agents, so opening a conversation of another agent keeps the list.
  const search = route.useSearch();
  const { conversationId: openId } = useParams({ strict: false });
  // Before the effect of an open conversation, which names it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open conversation has a title of its own
  useLayoutEffect(() => {
    document.title = "Conversations · Foyer";
  }, [openId]);
  const [listedAgentId, setListedAgentId] = useState(agentId);
  if (!hasAllAgents(search) && listedAgentId !== agentId) setListedAgentId(agentId);
  return <Inbox key={listedAgentId} agentId={agentId} />;
}

function Inbox({ agentId }: { agentId: string }) {
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const search = route.useSearch();
  const { conversationId: openId = null } = useParams({ strict: false });
  const handle = useRef<ListHandle | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isAtTop = useCallback(() => handle.current?.isAtTop() ?? true, []);
  const list = useConversationList(agentId, search, isAtTop);
  const go = useInboxNavigation(agentId);
  const waiting = useWaitingGroup(search);
  const active = useActive({ list: list.window, above: waiting, handle, openId });
  const [deletingId, setDeletingId] = useState<string | null>(null);
  const [isHelping, setHelping] = useState(false);
  const desk = useRef<DeskHandle | null>(null);
  const selection = useSelection(JSON.stringify(search), list.window);
  const selectionActs = useRef<SelectionHandle | null>(null);
  const acts: Record<InboxAct, () => void> = {
    next: () => active.move(1),
    previous: () => active.move(-1),
    list: () => (selection.isOn ? selection.clear() : openId && back()),
    search: () => field.current?.focus(),
    select: () => active.id && selection.toggle(active.id),
    selectRange: () => active.id && selection.toggle(active.id, true),
    delete: () => setDeletingId(active.id),
    help: () => setHelping(true),
    ...createActs(desk),
    ...(selection.isEmpty ? {} : createSelectionActs(selectionActs)),
  };
  const keys = useInboxKeys((act) => acts[act]());
  const open = useCallback(
    (row: ListedConversation) => {
      active.set(row.id);
      go.open(row);
    },
    [go, active.set],
  );
  const back = () => {
    go.toList();
    active.focus();
  };
  const openNext = (id: string) => {
    const next = list.window && rowAfter(list.window, waiting.rows, id);
    if (next) open(next);
    else back();
  };
  const isEmpty = list.window?.total === 0 && !list.isStale && isGeneral(search);
  const hasNone = useHasNone(agentId, isEmpty && !openId);
  useEffect(() => {
    if (search.view || search.saved) rememberView(search);
  }, [search]);
  if (hasNone) return <NoConversations agentId={agentId} />;
  return (
    <div className="relative h-[calc(100dvh-56px)] overflow-clip md:grid md:h-dvh md:grid-cols-[280px_minmax(0,1fr)] lg:grid-cols-[320px_minmax(0,1fr)] xl:grid-cols-[396px_minmax(0,1fr)]">
      <div className={`h-full min-h-0 border-line md:border-e ${openId ? "max-md:invisible" : ""}`}>
        <ListPane
          list={list}
          waiting={waiting}
          handle={handle}
          field={field}
          search={search}
          openId={openId}
          keys={keys}
          selection={selection}
          selectionActs={selectionActs}
          activeAt={active.at}
          hrefOf={go.hrefOf}
          onSearch={go.search}
          onOpen={open}
          onActive={active.set}
          onHelp={acts.help}
          onLeaveSearch={active.focus}
        />
      </div>
      <div className={openId ? "h-full min-h-0 max-md:absolute max-md:inset-0" : "hidden md:block"}>
        {openId ? (
          <Transcript
            key={openId}
            agent={agent}
            conversationId={openId}
            query={search.q?.trim() ?? ""}
            desk={desk}
            onRead={list.markRead}
            onTags={list.setTags}
            onBack={back}
            onDelete={() => setDeletingId(openId)}
            onLeave={active.focus}
            onResolved={openNext}
          />
        ) : (
          <NoneSelected hasKeys={keys.isOn} />
        )}
      </div>
      <DeleteConversation
        id={deletingId}
        onClose={() => setDeletingId(null)}
        onDeleted={(id) => {
          list.remove(id);
          if (id === openId) go.toList();
        }}
      />
      <ShortcutsDialog keys={keys} isOpen={isHelping} onClose={() => setHelping(false)} />
    </div>
  );
}

function createActs(desk: RefObject<DeskHandle | null>) {
  return {
    takeOver: () => desk.current?.takeOver(),
    reply: () => desk.current?.reply(),
    note: () => desk.current?.note(),
    returnToAgent: () => desk.current?.returnToAgent(),
    assign: () => desk.current?.assign(),
    addTag: () => desk.current?.addTag(),
    close: () => desk.current?.close(),
    resolve: () => desk.current?.resolve(),
    snooze: () => desk.current?.snooze(),
  };
}

/** With a selection, these keys act on it instead of the open conversation. */
function createSelectionActs(selection: RefObject<SelectionHandle | null>) {
  return {
    resolve: () => selection.current?.resolve(),
    snooze: () => selection.current?.snooze(),
    assign: () => selection.current?.assign(),
    addTag: () => selection.current?.addTag(),
    delete: () => selection.current?.delete(),
  };
}

/** Whether the agent has no conversations at all. */
function useHasNone(agentId: string, isEnabled: boolean): boolean {
  const query = endpointQuery("listConversations", { agentId, limit: 1 });
  return useQuery({ ...query, enabled: isEnabled }).data?.pagination.total === 0 && isEnabled;
}

/** The conversation that keyboard navigation starts from, in the group above the list or in the list. */
function useActive({
  list,
  above,
  handle,
  openId,
}: {
  list: ListWindow | null;
  above: WaitingGroup;
  handle: RefObject<ListHandle | null>;
  openId: string | null;
}) {
  const [id, set] = useState<string | null>(openId);
  const aboveIds = useMemo(() => above.rows.map((row) => row.id), [above]);
  const aboveAt = id === null ? -1 : aboveIds.indexOf(id);
  const at = useMemo(() => (list && id && aboveAt === -1 ? findPosition(list, id) : -1), [list, id, aboveAt]);
  const focusAbove = (position: number) => {
    const next = aboveIds[position];
    if (next === undefined) return;
    set(next);
    document.querySelector<HTMLElement>(`[data-conversation="${next}"]`)?.focus();
  };
  /** Skips the conversations of the group, and moves to the group above the first position. */
  const focusAt = (position: number, step: 1 | -1 = 1) => {
    let next = position;
    while (list && aboveIds.includes(rowAt(list, next)?.id ?? "")) next += step;
    if (next < 0) return focusAbove(aboveIds.length - 1);
    const row = list && rowAt(list, next);
    if (!row) return;
    set(row.id);
    handle.current?.focus(next);
  };
  const first = () => handle.current?.first() ?? 0;
  const focusFirst = () =>
    aboveIds.length > 0 && handle.current?.isAtTop() !== false ? focusAbove(0) : focusAt(first());
  return {
    id,
    at,
    set,
    /** Focuses the next or previous conversation. Without an active one, the first visible. */
    move: (step: 1 | -1) => {
      if (aboveAt !== -1) return aboveAt + step < aboveIds.length ? focusAbove(aboveAt + step) : focusAt(0);
      return at === -1 ? focusFirst() : focusAt(at + step, step);
    },
    /** Focuses the active conversation, or the first visible one. */
    focus: () => {
      if (aboveAt !== -1) return focusAbove(aboveAt);
      return at === -1 ? focusFirst() : focusAt(at);
    },
  };
}

/** Navigation within the inbox that keeps the search and the filters. */
function useInboxNavigation(agentId: string) {
  const navigate = useNavigate();
  const router = useRouter();
  const search = route.useSearch();
  return useMemo(() => {
    const to = "/agents/$agentId/conversations/$conversationId" as const;
    // One URL template for all rows, because building a link with the router for each row slows down scrolling.
    const { href } = router.buildLocation({ to, params: { agentId: "AGENT", conversationId: "ID" }, search });
    const template = router.history.createHref(href);
    return {
      hrefOf: (row: ListedConversation) => template.replace("/AGENT/", `/${row.agentId}/`).replace("/ID", `/${row.id}`),
      /**
       * A conversation of another agent opens in the view of waiting visitors, because this agent's list does not
       * contain it.
       */
      open: (row: ListedConversation) =>
        navigate({
          to,
          params: { agentId: row.agentId, conversationId: row.id },
          search: row.agentId === agentId || hasAllAgents(search) ? search : { view: "waiting" },
        }),
      toList: () => navigate({ to: "/agents/$agentId/conversations", params: { agentId }, search }),
      search: (part: { [Name in keyof InboxSearch]?: string | undefined }) =>
        navigate({
          to: ".",
          search(current) {
            const changed = withoutEmpty({ ...current, ...part });
            // Before the navigation, which would replace an empty search with the last view.
            rememberView(changed);
            return changed;
          },
          replace: true,
        }),
    };
  }, [navigate, router, agentId, search]);
}

function withoutEmpty(search: { [Name in keyof InboxSearch]?: string | undefined }): InboxSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value)) as InboxSearch;
}
