import type { ConversationTag } from "@foyer/contract";
import type { ListedConversation } from "./inbox-search.ts";

/** The server's page size. */
export const PAGE = 100;
/** Maximum number of cached rows. Rows farthest from the last one read are removed first. */
const MAX_ROWS = 5_000;

type Entry = { row: ListedConversation; epoch: number };

/**
 * A partially loaded list. Positions stay stable while newer conversations arrive: `fresh` of them wait before
 * position 0 until the user shows them.
 */
export type ListWindow = {
  total: number;
  fresh: number;
  /** Entries by position. Entries of an older epoch may have moved and are refetched when they become visible. */
  entries: ReadonlyMap<number, Entry>;
  epoch: number;
};

export type ListAnswer = { offset: number; total: number; rows: readonly ListedConversation[] };

export function openWindow(answer: ListAnswer): ListWindow {
  return placeRows({ total: answer.total, fresh: 0, entries: new Map(), epoch: 0 }, answer);
}

/** Adds a fetched page. */
export function withPage(window: ListWindow, answer: ListAnswer): ListWindow {
  // Conversations that arrived since the top was last fetched also precede this page.
  const fresh = answer.total - window.total;
  const next = fresh < 0 ? { ...window, total: answer.total, fresh: 0, epoch: window.epoch + 1 } : { ...window, fresh };
  // A page that is not full is the last one, regardless of the reported total.
  const end = answer.offset - next.fresh + answer.rows.length;
  return placeRows({ ...next, total: answer.rows.length < PAGE ? end : next.total }, answer);
}

/** Applies a refetched first page. */
export function withTop(window: ListWindow, answer: ListAnswer): ListWindow {
  if (window.entries.size === 0) return openWindow(answer);
  const first = Math.min(...window.entries.keys());
  const known = window.entries.get(first)?.row.id ?? "";
  const newer = answer.rows.filter(({ id }) => id > known).length;
  const isAllNewer = newer === answer.rows.length;
  const fresh = Math.max(0, isAllNewer ? answer.total - window.total : newer - first);
  const total = answer.total - fresh;
  // The total changed, but not at the top, so entries further down may have moved.
  const epoch = total === window.total ? window.epoch : window.epoch + 1;
  return placeRows({ ...window, fresh, total, epoch }, answer);
}

/** Applies a refetched first page of a list that can be reordered, such as that of the waiting visitors. */
export function withMovedTop(window: ListWindow, answer: ListAnswer): ListWindow {
  return placeRows({ ...window, fresh: 0, total: answer.total, epoch: window.epoch + 1 }, answer);
}

/** Adds the waiting conversations to the list. */
export function withNewConversations({ fresh, total, entries, epoch }: ListWindow): ListWindow {
  const moved = [...entries].map(([at, entry]) => [at + fresh, entry] as const);
  return { total: total + fresh, fresh: 0, entries: new Map(moved), epoch };
}

/** Removes a conversation that was deleted here. */
export function without(window: ListWindow, id: string): ListWindow {
  const gone = findPosition(window, id);
  if (gone === -1) return window;
  const rest = [...window.entries].filter(([at]) => at !== gone);
  const entries = new Map(rest.map(([at, entry]) => [at > gone ? at - 1 : at, entry]));
  return { ...window, total: window.total - 1, entries };
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

/** The pages, counted from 0, that have to be fetched to show these positions (inclusive). */
export function findMissingPages({ entries, epoch, total }: ListWindow, first: number, last: number): number[] {
  const pages = new Set<number>();
  for (let at = Math.max(0, first); at <= Math.min(last, total - 1); at++) {
    if (entries.get(at)?.epoch !== epoch) pages.add(Math.floor(at / PAGE));
  }
  return [...pages];
}

function placeRows(window: ListWindow, { offset, rows }: ListAnswer): ListWindow {
  const entries = new Map(window.entries);
  const start = offset - window.fresh;
  rows.forEach((row, index) => {
    entries.set(start + index, { row, epoch: window.epoch });
  });
  for (const at of entries.keys()) {
    const isFar = entries.size > MAX_ROWS && Math.abs(at - start) > MAX_ROWS / 2 && at >= PAGE;
    if (isFar || at >= window.total) entries.delete(at);
  }
  return { ...window, entries };
}
