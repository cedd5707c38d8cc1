import type { ConversationLiveEvent } from "@foyer/contract";
import { type ConversationKey, conversationEvents, FoyerError, type Request } from "@foyer/sdk";

/**
 * A lost connection that recovers within this time, in milliseconds, is not reported, because the server ends streams
 * from time to time.
 */
const NOTICE_MS = 2_000;

type Followed = {
  conversation: ConversationKey;
  lastEventId: string;
  abort: AbortController;
  /** Passes the events on to the visitor's other tabs. */
  tabs?: BroadcastChannel;
};

type Options = {
  onEvent: (event: ConversationLiveEvent) => void;
  /** Whether the visitor sees the messages. Otherwise, a reconnection must not confirm that they have seen them. */
  isVisible: () => boolean;
  /** Called when the connection is lost and when it is restored. */
  onLost: (isLost: boolean) => void;
  /** Aborts when the widget is removed. */
  signal: AbortSignal;
};

/**
 * Follows the live events of one conversation at a time. Browsers allow a server without HTTP/2 only six connections,
 * so of several tabs, only the most recently viewed one is connected. It passes its events on to the others. A tab that
 * becomes visible reconnects and reads what it may have missed. So does one whose network returns, because a computer
 * that slept or changed networks may not notice a dead connection.
 */
export function createConversationFollower(request: Request, { onEvent, isVisible, onLost, signal }: Options) {
  const connect: Request = (path, options) => request(isVisible() ? path : `${path}?visible=false`, options);
  let followed: Followed | null = null;
  /** The conversation that was followed last. If it is followed again, the stream continues after its last event. */
  let stopped: Followed | null = null;
  let lostTimer: ReturnType<typeof setTimeout> | undefined;

  function setLost(isLost: boolean): void {
    clearTimeout(lostTimer);
    lostTimer = isLost ? setTimeout(() => onLost(true), NOTICE_MS) : undefined;
    if (!isLost) onLost(false);
  }

  async function read(own: Followed): Promise<void> {
    const { conversation, lastEventId, abort } = own;
    const isCurrent = () => followed === own && !abort.signal.aborted;
    try {
      const events = conversationEvents(connect, conversation, {
        lastEventId,
        signal: abort.signal,
        onReconnect: () => isCurrent() && setLost(true),
      });
      for await (const { eventId, ...event } of events) {
        if (!isCurrent()) return;
        own.lastEventId = eventId;
        setLost(false);
        onEvent(event as ConversationLiveEvent);
        own.tabs?.postMessage(event);
      }
    } catch (error) {
      // The conversation was deleted, or its token is no longer valid. The next message that the visitor sends reports
      // this.
      if (!(error instanceof FoyerError)) reportError(error);
    }
    if (isCurrent()) stop();
  }

  function start(conversation: ConversationKey, lastEventId = "", isSeen = !document.hidden): void {
    stop();
    const own: Followed = { conversation, lastEventId, abort: new AbortController() };
    followed = own;
    const { locks } = navigator;
    const name = `foyer:${conversation.id}`;
    const tabs = locks && openChannel(name);
    // On pages without HTTPS, browsers have no locks, so every tab connects.
    if (!tabs) return void read(own);
    own.tabs = tabs;
    tabs.onmessage = ({ data }) => onEvent(data);
    // A background tab waits until the connected one is closed or suspended.
    locks
      .request(name, isSeen ? { steal: true } : { signal: own.abort.signal }, () => read(own))
      .catch(({ name: reason }: Error) => {
        if (followed !== own) return;
        if (reason === "AbortError") start(conversation, own.lastEventId, false);
        // A sandboxed page has no locks either, so it connects as well.
        else void read(own);
      });
  }

  function stop(): void {
    followed?.abort.abort();
    followed?.tabs?.close();
    stopped = followed ?? stopped;
    followed = null;
    setLost(false);
  }

  const renew = () => followed && start(followed.conversation, followed.lastEventId);
  const onVisibility = () => document.hidden || renew();
  addEventListener("online", renew, { signal });
  // A connection that breaks in this way may not report an error for a long time.
  addEventListener("offline", () => followed && setLost(true), { signal });
  addEventListener("visibilitychange", onVisibility, { capture: true, signal });
  signal.addEventListener("abort", stop);

  return {
    /** The id of the conversation that is followed, or null. */
    current: (): string | null => followed?.conversation.id ?? null,
    /**
     * Follows a conversation until it returns to the agent, after the last event that was received. The server thereby
     * learns that the last answer has arrived, and sends what a person wrote in the meantime.
     */
    start(conversation: ConversationKey): void {
      start(conversation, stopped?.conversation.id === conversation.id ? stopped.lastEventId : "");
    },
    stop,
  };
}

/** @returns null if the browser refuses because it blocks storage */
function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
