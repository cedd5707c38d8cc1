import type { ConversationLiveEvent } from "@foyer/contract";
import { type ConversationKey, conversationEvents, FoyerError, type Request } from "@foyer/sdk";

/** After this time in the background, in milliseconds, a connection may have died unnoticed. */
const TRUSTED_MS = 20_000;
/**
 * A connection that recovers sooner, in milliseconds, is not reported, because the server ends streams from time to
 * time.
 */
const NOTICE_MS = 2_000;

type Followed = { conversation: ConversationKey; lastEventId: string; abort: AbortController };

type Options = {
  onEvent: (event: ConversationLiveEvent) => void;
  /** Called when the connection is lost and when it is restored. */
  onLost: (isLost: boolean) => void;
  /** Aborts when the widget is removed. */
  signal: AbortSignal;
};

/**
 * Follows the live events of one conversation at a time. It reconnects when the network or the visitor returns, because
 * a computer that slept or changed networks may not notice a dead connection.
 */
export function createConversationFollower(request: Request, { onEvent, onLost, signal }: Options) {
  let followed: Followed | null = null;
  let hiddenAt = 0;
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
      const events = conversationEvents(request, conversation, {
        lastEventId,
        signal: abort.signal,
        onReconnect: () => isCurrent() && setLost(true),
      });
      for await (const { eventId, ...event } of events) {
        if (!isCurrent()) return;
        own.lastEventId = eventId;
        setLost(false);
        onEvent(event as ConversationLiveEvent);
      }
    } catch (error) {
      // The conversation was deleted, or its token is no longer valid. The next message that the visitor sends reports
      // this.
      if (!(error instanceof FoyerError)) reportError(error);
    }
    if (isCurrent()) stop();
  }

  function start(conversation: ConversationKey, lastEventId = ""): void {
    stop();
    followed = { conversation, lastEventId, abort: new AbortController() };
    void read(followed);
  }

  function stop(): void {
    followed?.abort.abort();
    followed = null;
    setLost(false);
  }

  const renew = () => followed && start(followed.conversation, followed.lastEventId);
  const onVisibility = () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (Date.now() - hiddenAt > TRUSTED_MS) renew();
  };
  addEventListener("online", renew, { signal });
  addEventListener("visibilitychange", onVisibility, { capture: true, signal });
  signal.addEventListener("abort", stop);

  return {
    /** The id of the conversation that is followed, or null. */
    current: (): string | null => followed?.conversation.id ?? null,
    /** Follows a conversation until it returns to the agent. */
    start: (conversation: ConversationKey): void => start(conversation),
    stop,
  };
}
