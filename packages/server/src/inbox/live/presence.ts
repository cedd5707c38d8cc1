import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Db } from "../../db/open.ts";
import * as store from "./presence-store.ts";

/** How long a typing report is valid, and how often it is written for the other processes, in milliseconds. */
const TYPING_MS = 5_000;
const TYPING_EVERY_MS = 2_500;
/** How long a member counts as present after using the inbox or sending a message, in milliseconds. */
const USED_MS = 5 * MINUTE_MS;
/** The same after closing their last inbox. A client that connects again within this time has been there all along. */
const CLOSED_MS = 30_000;
/** How often members are reported to the other processes, and how long each report is valid, in milliseconds. */
const REPORT_EVERY_MS = 20_000;
const REPORT_MS = 60_000;

/** The maximum number of typing reports that are remembered. */
const MAX_REMEMBERED = 1_000;

/** Who is typing: the visitor, or the member with this user id. */
export type Typist = { organizationId: string; conversationId: string; who: string };
export const VISITOR = "visitor";

/** All times are in milliseconds. */
type Member = {
  openInboxes: number;
  /** until when the last use of an open inbox counts */
  usedUntil: number;
  /** until when the inbox counts as open after it was closed */
  closedUntil: number;
  /** until when the member is present without an inbox in this process */
  until: number;
};

/**
 * Tracks who is typing and which members are present: those who used an open inbox, or sent a message, in the last five
 * minutes. An inbox in a tab in the background does not make its member present. Processes that share a database exchange
 * this through a table. A single process keeps it in memory.
 * @param db null for a single process
 */
export function createPresence(db: Db | null, now: () => number = Date.now) {
  const organizations = new Map<string, Map<string, Member>>();
  /** when typing was last written to the database, by key; old entries are removed */
  const written = new Map<string, number>();
  /** until when typing in other processes was last announced here, by key */
  const announced = new Map<string, number>();
  let reportedAt = 0;

  function ensureMember(organizationId: string, userId: string): Member {
    const members = organizations.get(organizationId) ?? new Map<string, Member>();
    organizations.set(organizationId, members);
    const member = members.get(userId) ?? { openInboxes: 0, usedUntil: 0, closedUntil: 0, until: 0 };
    members.set(userId, member);
    return member;
  }

  const hasInbox = ({ openInboxes, closedUntil }: Member) => openInboxes > 0 || closedUntil > now();
  const isPresent = (member: Member | undefined) =>
    member !== undefined && (member.until > now() || (member.usedUntil > now() && hasInbox(member)));

  const report = (rows: Parameters<typeof store.upsertPresence>[1]) =>
    db ? store.upsertPresence(db, rows) : Promise.resolve();

  async function reportInboxes(): Promise<void> {
    reportedAt = now();
    const rows = [...organizations].flatMap(([organizationId, members]) =>
      [...members].flatMap(([who, { openInboxes, usedUntil }]) => {
        if (openInboxes === 0) return [];
        const until = reportedAt + REPORT_MS;
        const inUse = { organizationId, conversationId: store.IN_USE, who, until: Math.min(until, usedUntil) };
        return [
          { organizationId, conversationId: store.INBOX, who, until },
          ...(usedUntil > reportedAt ? [inUse] : []),
        ];
      }),
    );
    await report(rows);
  }

  async function use(organizationId: string, who: string): Promise<void> {
    ensureMember(organizationId, who).usedUntil = now() + USED_MS;
    await report([{ organizationId, conversationId: store.IN_USE, who, until: now() + REPORT_MS }]);
  }

  function forgetOldTyping() {
    for (const [key, at] of written) if (now() - at > TYPING_EVERY_MS) written.delete(key);
    for (const [key, until] of announced) if (until < now()) announced.delete(key);
  }

  return {
    /**
     * Records that a member opened an inbox.
     * @param isActive whether the member uses it; if the client does not say, unless it only connects again
     */
    async open(organizationId: string, userId: string, isActive: boolean | undefined): Promise<void> {
      const member = ensureMember(organizationId, userId);
      const isNew = !hasInbox(member);
      member.openInboxes += 1;
      await report([{ organizationId, conversationId: store.INBOX, who: userId, until: now() + REPORT_MS }]);
      if (isActive ?? isNew) await use(organizationId, userId);
    },
    close(organizationId: string, userId: string): void {
      const member = ensureMember(organizationId, userId);
      member.openInboxes -= 1;
      member.closedUntil = now() + CLOSED_MS;
    },
    /** Records that a member uses an inbox. */
    use,
    async answered(organizationId: string, who: string): Promise<void> {
      const until = now() + USED_MS;
      ensureMember(organizationId, who).until = until;
      await report([{ organizationId, conversationId: store.IN_USE, who, until }]);
    },
    isPresent: (organizationId: string, userId: string) => isPresent(organizations.get(organizationId)?.get(userId)),
    /** Tells the other processes that a person is typing. */
    async typing({ organizationId, conversationId, who }: Typist): Promise<void> {
      if (!db) return;
      if (written.size > MAX_REMEMBERED) forgetOldTyping();
      const key = `${conversationId} ${who}`;
      if (now() - (written.get(key) ?? 0) < TYPING_EVERY_MS) return;
      const until = now() + TYPING_MS;
      written.set(key, now());
      // Without this, the process would announce its own report a second time when it reads the table.
      announced.set(key, until);
      await store.upsertPresence(db, [{ organizationId, conversationId, who, until }]);
    },
    /**
     * Reads what other processes wrote about these organizations, and reports the open inboxes of this one.
     * @returns who has started or is still typing in other processes
     */
    async exchange(organizationIds: readonly string[]): Promise<Typist[]> {
      if (!db) return [];
      forgetOldTyping();
      if (now() - reportedAt > REPORT_EVERY_MS) await reportInboxes();
      const typists: Typist[] = [];
      for (const { until, ...row } of await store.readCurrent(db, organizationIds, now())) {
        if (row.conversationId === store.INBOX) continue;
        if (row.conversationId === store.IN_USE) {
          const member = ensureMember(row.organizationId, row.who);
          member.until = Math.max(member.until, until);
          continue;
        }
        const key = `${row.conversationId} ${row.who}`;
        if (until <= (announced.get(key) ?? 0)) continue;
        announced.set(key, until);
        typists.push(row);
      }
      return typists;
    },
    /** The user ids of the present members, as one string. */
    presentIn(organizationId: string): string {
      const members = [...(organizations.get(organizationId) ?? [])];
      const present = members.filter(([, member]) => isPresent(member));
      return String(present.map(([userId]) => userId).sort());
    },
    /** Removes members who are no longer present and have no inbox open. */
    forgetAbsent(): void {
      for (const [organizationId, members] of organizations) {
        for (const [userId, member] of members) if (!isPresent(member) && !hasInbox(member)) members.delete(userId);
        if (members.size === 0) organizations.delete(organizationId);
      }
    },
  };
}

export type Presence = ReturnType<typeof createPresence>;
