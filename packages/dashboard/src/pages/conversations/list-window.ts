import type { ConversationTag } from "@foyer/contract";
import type { ListedConversation } from "./inbox-search.ts";

/** The server's page size. */
export const PAGE = 100;
/** Maximum number of cached rows. Rows farthest from the last one read are removed first. */
const MAX_ROWS = 5_000;

type Entry = { row: ListedConversation; epoch: number };

/**
 * A partially loaded list. Positions stay stable while conversations start or receive messages: `fresh` of them wait
 * before position 0 until the user shows them.
 */
export type ListWindow = {
  total: number;
  fresh: number;
  /** The latest activity in the list when its top was last shown. */
  shownAt: string;
  /** The server's cursor for the page that starts at a position. */
  cursors: ReadonlyMap<number, string>;
  /** Entries by position. Entries of an older epoch may have moved and are refetched when they become visible. */
  entries: ReadonlyMap<number, Entry>;
  epoch: number;
};

/** A page at a position of the window. `cursor` continues after it, if the server sent one. */
export type ListPage = {
  at: number;
  total: number;
  rows: readonly ListedConversation[];
  cursor?: string | null | undefined;
};

export function openWindow(answer: ListPage): ListWindow {
  return withTop({ total: 0, fresh: 0, shownAt: "", cursors: new Map(), entries: new Map(), epoch: -1 }, answer);
}

/** Adds a fetched page. */
export function withPage(window: ListWindow, answer: ListPage): ListWindow {
  // A page that is not full is the last one, regardless of the reported total.
  const end = answer.at + answer.rows.length;
  return placeRows({ ...window, total: answer.rows.length < PAGE ? end : window.total }, answer);
}

/** Shows a refetched first page. The rows further down may have moved, so they are refetched when they become visible. */
export function withTop(window: ListWindow, answer: ListPage): ListWindow {
  const shownAt = answer.rows[0]?.updatedAt ?? "";
  const next = { ...window, fresh: 0, shownAt, cursors: new Map(), total: answer.total, epoch: window.epoch + 1 };
  return placeRows(next, answer);
}

/**
 * Applies a refetched first page while the user reads further down: updates the rows where they are, and counts those
 * that would move to the top.
 */
export function withHeldTop(window: ListWindow, answer: ListPage): ListWindow {
  const fresh = answer.rows.filter(({ updatedAt }) => updatedAt > window.shownAt).length;
  const rows = new Map(answer.rows.map((row) => [row.id, row]));
  const entries = [...window.entries].map(
    ([at, { row, epoch }]) => [at, { row: rows.get(row.id) ?? row, epoch }] as const,
  );
  return { ...window, fresh, entries: new Map(entries) };
}

/** Removes a conversation that was deleted here. */
export function without(window: ListWindow, id: string): ListWindow {
  const gone = findPosition(window, id);
  if (gone === -1) return window;
  const rest = [...window.entries].filter(([at]) => at !== gone);
  const entries = new Map(rest.map(([at, entry]) => [at > gone ? at - 1 : at, entry]));
  return { ...window, total: window.total - 1, entries, cursors: new Map() };
}

/** Clears the unread mark of a conversation that was opened here. */
export function withRead(window: ListWindow, id: string): ListWindow {
  return withRow(window, id, (row) => (row.isUnread ? { ...row, isUnread: false } : row));
}

/** Updates the tags of a conversation, whose page of the list may not be fetched again for a while. */
export function withTags(window: ListWindow, id: string, tags: readonly ConversationTag[]): ListWindow {
  const text = JSON.stringify(tags);
  return withRow(window, id, (row) => (JSON.stringify(row.tags) === text ? row : { ...row, tags: [...tags] }));
}

function withRow(window: ListWindow, id: string, change: (row: ListedConversation) => ListedConversation): ListWindow {
  const at = findPosition(window, id);
  const entry = window.entries.get(at);
  const row = entry && change(entry.row);
  if (!row || row === entry.row) return window;
  return { ...window, entries: new Map(window.entries).set(at, { ...entry, row }) };
}

export function rowAt(window: ListWindow, at: number): ListedConversation | undefined {
  return window.entries.get(at)?.row;
}

/** @returns -1 if the position is unknown */
export function findPosition({ entries }: ListWindow, id: string): number {
  for (const [at, { row }] of entries) if (row.id === id && at >= 0) return at;
  return -1;
}

/** The conversation that follows one in the list, or in the group of conversations above it. */
export function rowAfter(
  window: ListWindow,
  above: readonly ListedConversation[],
  id: string,
): ListedConversation | undefined {
  const aboveIds = above.map((row) => row.id);
  const aboveAt = aboveIds.indexOf(id);
  const nextAbove = aboveAt === -1 ? undefined : above[aboveAt + 1];
  if (nextAbove) return nextAbove;
  for (let at = aboveAt === -1 ? findPosition(window, id) + 1 : 0; at < window.total; at++) {
    const row = rowAt(window, at);
    if (!row || (row.id !== id && !aboveIds.includes(row.id))) return row;
  }
  return undefined;
}

/** The pages, counted from 0, that have to be fetched to show these positions (inclusive). */
export function findMissingPages({ entries, epoch, total }: ListWindow, first: number, last: number): number[] {
  const pages = new Set<number>();
  for (let at = Math.max(0, first); at <= Math.min(last, total - 1); at++) {
    if (entries.get(at)?.epoch !== epoch) pages.add(Math.floor(at / PAGE));
  }
  return [...pages];
}

/** @returns the request for a page, counted from 0, without its filters */
export function createPageQuery({ cursors, fresh }: ListWindow, page: number) {
  const at = page * PAGE;
  const after = cursors.get(at);
  // Without a cursor, the conversations that would move to the top precede the page on the server.
  return after === undefined ? { limit: PAGE, offset: at + fresh } : { limit: PAGE, after };
}

function placeRows(window: ListWindow, { at: start, rows, cursor }: ListPage): ListWindow {
  const entries = new Map(window.entries);
  rows.forEach((row, index) => {
    entries.set(start + index, { row, epoch: window.epoch });
  });
  for (const at of entries.keys()) {
    const isFar = entries.size > MAX_ROWS && Math.abs(at - start) > MAX_ROWS / 2 && at >= PAGE;
    if (isFar || at >= window.total) entries.delete(at);
  }
  const cursors = cursor ? new Map(window.cursors).set(start + rows.length, cursor) : window.cursors;
  return { ...window, entries, cursors };
}
