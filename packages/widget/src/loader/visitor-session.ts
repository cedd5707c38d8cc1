import type { ConversationKey } from "@foyer/sdk";
import type { Identity } from "../foyer-api.ts";
import type { ConsentStorage } from "./consent-storage.ts";
import type { EventBus } from "./event-bus.ts";
import { randomId } from "./random-id.ts";
import { type KnownIdentity, withTokenFields } from "./user-token.ts";

/**
 * A conversation of this browser: its token, and what the list of conversations shows. `at` is in milliseconds since
 * 1970.
 */
export type KnownConversation = {
  id: string;
  token: string;
  title: string;
  at: number;
  /** Whether the visitor has closed the question that asks for a rating. */
  isRatingHidden?: boolean;
};

type Owned = { current: string | null; list: KnownConversation[] };
type Stored = { sessionId: string; owners: Record<string, Owned> };

const MAX_CONVERSATIONS = 50;
const ANONYMOUS = "anonymous";

export type VisitorSession = ReturnType<typeof createVisitorSession>;

/**
 * The visitor's identity and the conversations that this browser may show to them. Each visitor has their own list.
 * Identifying another visitor deletes the previous one's list, and a logout deletes everything.
 */
export function createVisitorSession(storage: ConsentStorage, bus: EventBus, identity: Identity | null) {
  let visitor = identity && withTokenFields(identity);
  let ownSessionId = randomId();
  const ownerKey = () => (visitor ? `user:${visitor.userId}` : ANONYMOUS);

  // Read the value each time, because another tab may have written it in the meantime.
  const read = (): Stored => parseStored(storage.read("local", "visit")) ?? { sessionId: ownSessionId, owners: {} };
  const readOwned = (stored: Stored): Owned =>
    (Object.hasOwn(stored.owners, ownerKey()) && stored.owners[ownerKey()]) || { current: null, list: [] };
  const change = (edit: (mine: Owned) => Owned, options = {}) => {
    const stored = read();
    const others = Object.entries(stored.owners).filter(([name]) => name === ANONYMOUS && name !== ownerKey());
    const owners = Object.fromEntries([...others, [ownerKey(), edit(readOwned(stored))]]);
    storage.write("local", "visit", { ...stored, owners }, options);
  };
  const keep = () => change((mine) => mine);
  /** Stored forms belong to one visitor. An anonymous visitor's forms move to the user who is identified. */
  const settleForms = () => {
    for (const place of ["session", "local"] as const) {
      const kept = storage.read(place, "forms") as { whose?: unknown } | null;
      if (!kept || kept.whose === ownerKey()) continue;
      const isOpenToAll = visitor !== null && kept.whose === ANONYMOUS;
      storage.write(place, "forms", isOpenToAll ? { ...kept, whose: ownerKey() } : null);
    }
  };
  /**
   * Assigns the open anonymous conversation to the visitor who has just been identified, even on a later page. With the
   * next message, its token proves to the server that this user has access to it.
   */
  const adopt = () => {
    const stored = parseStored(storage.read("local", "visit"));
    const anonymous = stored?.owners[ANONYMOUS];
    const open = anonymous?.list.find(({ id }) => id === anonymous.current);
    if (!visitor || !stored || !anonymous || !open) return;
    // Without an open conversation, the next page has nothing to assign, so the user's later conversations stay open.
    const owners = { ...stored.owners, [ANONYMOUS]: { ...anonymous, current: null } };
    storage.write("local", "visit", { ...stored, owners });
    change(({ list }) => ({ current: open.id, list: [open, ...list.filter(({ id }) => id !== open.id)] }));
  };
  adopt();
  bus.on("interaction", () => storage.read("local", "visit") ?? keep());

  return {
    get identity(): KnownIdentity | null {
      return visitor;
    },
    /** The id stays the same in this browser until a logout. */
    get sessionId(): string {
      return read().sessionId;
    },
    /** Newest first. */
    get conversations(): KnownConversation[] {
      return readOwned(read()).list;
    },
    /** The open conversation, which is the same on every page and in every tab. */
    get current(): KnownConversation | null {
      const { current, list } = readOwned(read());
      return list.find(({ id }) => id === current) ?? null;
    },
    /** Makes a conversation the current one and moves it to the top of the list. */
    remember(conversation: KnownConversation): void {
      change(({ list }) => ({
        current: conversation.id,
        list: [conversation, ...list.filter(({ id }) => id !== conversation.id)].slice(0, MAX_CONVERSATIONS),
      }));
    },
    /** Makes the conversation of a link the current one if this browser began it. @returns whether it did */
    recognize(linked: ConversationKey): boolean {
      const own = this.conversations.find(({ id }) => id === linked.id);
      // The token of a link expires, while the one of the browser that began the conversation does not.
      if (own) this.remember(own.token.startsWith("fcl_") ? { ...own, ...linked } : own);
      return own !== undefined;
    },
    /** Switches to another conversation, or with null to none. */
    select(id: string | null): void {
      change((mine) => ({ ...mine, current: id }));
    },
    /** Removes a conversation that no longer exists. */
    forget(id: string): void {
      change(({ current, list }) => ({
        current: current === id ? null : current,
        list: list.filter((known) => known.id !== id),
      }));
    },
    identify(identity: Identity): void {
      const next = withTokenFields(identity);
      const before = visitor;
      visitor = next;
      if (before?.userId === next.userId) return;
      if (!before) adopt();
      // Write this immediately, because another visitor's data must be deleted even if this visitor never uses the
      // widget.
      if (storage.read("local", "visit")) change((mine) => mine, { early: true });
      settleForms();
      bus.emit("identity", next);
    },
    logout(): void {
      visitor = null;
      ownSessionId = randomId();
      storage.write("local", "visit", null);
      for (const place of ["session", "local"] as const) storage.write(place, "forms", null);
      storage.write("session", "opening", null);
      bus.emit("identity", null);
    },
  };
}

function parseStored(value: unknown): Stored | null {
  const stored = value as Partial<Stored> | null;
  const isStored = typeof stored?.sessionId === "string" && typeof stored.owners === "object" && stored.owners !== null;
  if (!isStored) return null;
  const owners = Object.entries(stored.owners ?? {}).filter(([, mine]) => Array.isArray(mine?.list));
  return { sessionId: stored.sessionId ?? "", owners: Object.fromEntries(owners) };
}
