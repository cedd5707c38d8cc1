import type { ConversationActivity, InboxChange, InboxEvent } from "@foyer/contract";
import { inboxEvents } from "@foyer/sdk";
import { useEffect } from "react";
import { request } from "./api.ts";
import { endTyping, forgetInbox, forgetTyping, inboxState, noteTyping, setInbox } from "./inbox-live.ts";
import { leadTab } from "./lead-tab.ts";
import { isPageUsed, reportUse } from "./member-use.ts";
import { queryClient } from "./queries.ts";
import { createRefetching } from "./refetch-soon.ts";

/** How long to wait after the server rejected the stream, in milliseconds. */
const REFUSED_MS = 60_000;
/** The minimum time between two fetches of the lists, in milliseconds, no matter how busy the agents are. */
const LIST_MS = 1_000;
/**
 * A lost connection that recovers within this time, in milliseconds, is not reported, because the server ends streams
 * from time to time.
 */
const NOTICE_MS = 3_000;

/** The messages that the connected tab sends to the other tabs. */
type Shared = InboxEvent | { type: "connection"; isLost: boolean };

/**
 * Follows the inbox of the organization while the dashboard is open. Browsers allow only six connections to a server
 * without HTTP/2, so of several tabs, only the most recently viewed one is connected. It passes its events on to the
 * others.
 */
export function useInboxStream(organizationId: string | null): void {
  useEffect(() => {
    if (organizationId === null) return;
    const name = `foyer.inbox.${organizationId}`;
    const abort = new AbortController();
    const channel = new BroadcastChannel(name);
    let isLeader = false;
    channel.onmessage = ({ data }) => {
      if (data !== "hello") take(data);
      else if (isLeader) for (const event of snapshot()) channel.postMessage(event);
    };
    channel.postMessage("hello");
    reportUse(abort.signal);
    const share = (event: Shared) => {
      if (abort.signal.aborted) return;
      take(event);
      channel.postMessage(event);
    };
    leadTab(name, abort.signal, (turn) => {
      isLeader = true;
      turn.addEventListener("abort", () => {
        isLeader = false;
      });
      return follow(share, turn);
    });
    return () => {
      abort.abort();
      channel.close();
      forgetInbox();
    };
  }, [organizationId]);
}

async function follow(share: (event: Shared) => void, signal: AbortSignal): Promise<void> {
  const connection = watchConnection(share, signal);
  while (!signal.aborted) {
    const options = { signal: abortWhenOnline(signal), onReconnect: connection.lost, isActive: isPageUsed };
    try {
      let isFirst = true;
      for await (const { eventId: _, ...event } of inboxEvents(request, options)) {
        connection.found();
        // The lists may have been fetched before the stream started.
        if (isFirst) share({ type: "activity", conversations: [], hasMore: true });
        isFirst = false;
        share(event);
      }
    } catch {
      // Either the session has ended, which the page's next call will report, or the server rejects further streams.
      connection.lost();
      await pause(REFUSED_MS, signal);
    }
  }
}

/**
 * Aborts with `signal`, and when the network is back, because an earlier connection may be dead without reporting an
 * error.
 */
function abortWhenOnline(signal: AbortSignal): AbortSignal {
  const own = new AbortController();
  const end = () => own.abort();
  signal.addEventListener("abort", end, { signal: own.signal });
  addEventListener("online", end, { signal: own.signal });
  return own.signal;
}

/** Reports when the connection has been lost for longer than a moment, and when it is restored. */
function watchConnection(share: (event: Shared) => void, signal: AbortSignal) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Another tab may have lost the connection before this tab took over.
  let { isLost } = inboxState();
  const report = (next: boolean) => {
    clearTimeout(timer);
    timer = undefined;
    if (next !== isLost) share({ type: "connection", isLost: next });
    isLost = next;
  };
  const handleLoss = () => {
    timer ??= setTimeout(() => report(true), NOTICE_MS);
  };
  addEventListener("offline", handleLoss, { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  return { lost: handleLoss, found: () => report(false) };
}

/** The events that bring another tab up to date. */
function snapshot(): Shared[] {
  const { counts, members, isLost } = inboxState();
  return [
    ...(counts ? [{ type: "counts" as const, ...counts }] : []),
    { type: "presence", members: [...members] },
    { type: "connection", isLost },
  ];
}

function take(event: Shared): void {
  switch (event.type) {
    case "counts":
      setInbox({ counts: readCounts(event) });
      break;
    case "presence":
      setInbox({ members: event.members });
      break;
    case "connection":
      setInbox({ isLost: event.isLost });
      break;
    case "typing":
      noteTyping(event.conversationId, event.by === "member" ? event.person : null);
      break;
    case "conversation":
      takeChange(event.change);
      break;
    case "activity":
      takeActivity(event.conversations, event.hasMore);
      break;
    case "removed":
      forgetTyping(event.conversationId);
      refetchSoon(["listConversations"], LIST_MS);
      // Refetch the conversation, so that its page shows that it no longer exists.
      refetchSoon(["getConversation", { id: event.conversationId }]);
  }
}

function readCounts({ type: _, ...counts }: Extract<InboxEvent, { type: "counts" }>) {
  return counts;
}

/** Refetches the lists and the conversation if they are shown. Shows the new handler immediately. */
function takeChange({ conversationId: id, ownership, lastMessage }: InboxChange) {
  queryClient.setQueriesData({ queryKey: ["getConversation", { id }] }, (known: object | undefined) =>
    known ? { ...known, ...ownership } : known,
  );
  if (lastMessage) endTyping(id, lastMessage.author === "visitor" ? "visitor" : "team");
  refetchSoon(["listConversations"]);
  refetchSoon(["getConversation", { id }]);
  refetchSoon(["listNotes", { id }]);
  // What this member has written may have been sent on another device.
  refetchSoon(["listMessageDrafts", { id }]);
}

/**
 * Refetches shown data of conversations in which something happened. With `hasMore`, it may have happened in any
 * conversation.
 */
function takeActivity(conversations: readonly ConversationActivity[], hasMore: boolean) {
  if (hasMore) {
    for (const name of ["listConversations", "getConversation", "listNotes", "listMessageDrafts"])
      refetchSoon([name], LIST_MS);
    return;
  }
  for (const { conversationId: id } of conversations) {
    refetchSoon(["getConversation", { id }]);
    refetchSoon(["listMessageDrafts", { id }]);
  }
  refetchSoon(["listConversations"], LIST_MS);
}

const refetchSoon = createRefetching(queryClient);

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
