import type { InboxChange, InboxEvent } from "@foyer/contract";
import { inboxEvents } from "@foyer/sdk";
import { useEffect } from "react";
import { request } from "./api.ts";
import { endTyping, forgetInbox, forgetTyping, inboxCounts, noteTyping, setInbox } from "./inbox-live.ts";
import { queryClient, refresh } from "./queries.ts";

/** How long to wait after the server rejected the stream, in milliseconds. */
const REFUSED_MS = 60_000;
/** Changes that arrive within this time are fetched together, in milliseconds. */
const GATHER_MS = 150;

/**
 * Follows the inbox of the organization while the dashboard is open. Browsers allow only six connections to a server
 * without HTTP/2, so only one of several tabs is connected. It passes its events on to the others.
 */
export function useInboxStream(organizationId: string | null): void {
  useEffect(() => {
    if (organizationId === null) return;
    const name = `foyer.inbox.${organizationId}`;
    const abort = new AbortController();
    const channel = new BroadcastChannel(name);
    let isLeader = false;
    channel.onmessage = ({ data }) => {
      if (data !== "hello") takeEvent(data);
      else if (isLeader) for (const event of snapshot()) channel.postMessage(event);
    };
    channel.postMessage("hello");
    void lead(name, abort.signal, () => {
      isLeader = true;
      return follow(channel, abort.signal);
    });
    return () => {
      abort.abort();
      channel.close();
      forgetInbox();
    };
  }, [organizationId]);
}

/** Runs `work` in one tab at a time. On pages without HTTPS, browsers have no locks, so every tab runs it. */
async function lead(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!("locks" in navigator)) return work();
  try {
    await navigator.locks.request(name, { signal }, work);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function follow(channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      let isFirst = true;
      for await (const { eventId: _, ...event } of inboxEvents(request, { signal })) {
        if (signal.aborted) return;
        takeEvent(event);
        channel.postMessage(event);
        // The lists may have been fetched before the stream started.
        if (isFirst) void refresh("listConversations");
        isFirst = false;
      }
    } catch {
      // Either the session has ended, which the page's next call will show, or the server rejects further streams.
      await pause(REFUSED_MS, signal);
    }
  }
}

/** The events that bring another tab up to date. */
function snapshot(): InboxEvent[] {
  const { counts, members } = inboxCounts();
  return [
    { type: "counts", ...counts },
    { type: "presence", members: [...members] },
  ];
}

function takeEvent(event: InboxEvent): void {
  switch (event.type) {
    case "counts":
      setInbox({ counts: { waiting: event.waiting, mine: event.mine } });
      break;
    case "presence":
      setInbox({ members: event.members });
      break;
    case "typing":
      noteTyping(event.conversationId, event.by === "member" ? event.person : null);
      break;
    case "conversation":
      takeChange(event.change);
      break;
    case "removed":
      forgetTyping(event.conversationId);
      refetchSoon(["listConversations"]);
      // The page of an open conversation then shows that it no longer exists.
      refetchSoon(["getConversation", { id: event.conversationId }]);
  }
}

/** Refetches the lists and the conversation if they are shown. The new handler is shown immediately. */
function takeChange({ conversationId: id, ownership, lastMessage }: InboxChange) {
  queryClient.setQueriesData({ queryKey: ["getConversation", { id }] }, (known: object | undefined) =>
    known ? { ...known, ...ownership } : known,
  );
  if (lastMessage) endTyping(id, lastMessage.author === "visitor" ? "visitor" : "team");
  refetchSoon(["listConversations"]);
  refetchSoon(["getConversation", { id }]);
  refetchSoon(["listNotes", { id }]);
}

const gathering = new Set<string>();

function refetchSoon(queryKey: readonly unknown[]) {
  const name = JSON.stringify(queryKey);
  if (gathering.has(name)) return;
  gathering.add(name);
  setTimeout(() => {
    gathering.delete(name);
    void queryClient.invalidateQueries({ queryKey });
  }, GATHER_MS);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
