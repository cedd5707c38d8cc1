import type { ListedConversation } from "./inbox-search.ts";

/** What the server gives at once. */
export const PAGE = 100;
/** Rows that are kept; those farthest from what was read last go first. */
const MAX_ROWS = 5_000;

type Entry = { row: ListedConversation; epoch: number };

/**
 * A long list of which parts are known. A position stays the same conversation's while newer ones arrive: those wait, `fresh` of them, before
 * position 0 until the viewer wants to see them.
 */
export type ListWindow = {
  total: number;
  fresh: number;
  /** By position. What is of an older epoch may have moved, and is asked for again when it is looked at. */
  entries: ReadonlyMap<number, Entry>;
  epoch: number;
};

export type ListAnswer = { offset: number; total: number; rows: readonly ListedConversation[] };

export function openWindow(answer: ListAnswer): ListWindow {
  return placed({ total: answer.total, fresh: 0, entries: new Map(), epoch: 0 }, answer);
}

/** Takes in a page that was asked for. */
export function withPage(window: ListWindow, answer: ListAnswer): ListWindow {
  // What came since the last look at the top stands before this page, too.
  const fresh = answer.total - window.total;
  const next = fresh < 0 ? { ...window, total: answer.total, fresh: 0, epoch: window.epoch + 1 } : { ...window, fresh };
  // A page that is not full is the last one, whatever was counted: nothing after it would ever come.
  const end = answer.offset - next.fresh + answer.rows.length;
  return placed({ ...next, total: answer.rows.length < PAGE ? end : next.total }, answer);
}

/** Takes in a later look at the top of the list. */
export function withTop(window: ListWindow, answer: ListAnswer): ListWindow {
  if (window.entries.size === 0) return openWindow(answer);
  const first = Math.min(...window.entries.keys());
  const known = window.entries.get(first)?.row.id ?? "";
  const newer = answer.rows.filter(({ id }) => id > known).length;
  const isAllNewer = newer === answer.rows.length;
  const fresh = Math.max(0, isAllNewer ? answer.total - window.total : newer - first);
  const total = answer.total - fresh;
  // More or fewer than before, and not at the top: whatever stands further down may have moved.
  const epoch = total === window.total ? window.epoch : window.epoch + 1;
  return placed({ ...window, fresh, total, epoch }, answer);
}

/** The waiting ones become part of the list. */
export function withFresh({ fresh, total, entries, epoch }: ListWindow): ListWindow {
  const moved = [...entries].map(([at, entry]) => [at + fresh, entry] as const);
  return { total: total + fresh, fresh: 0, entries: new Map(moved), epoch };
}

/** Without a conversation that was deleted here. */
export function without(window: ListWindow, id: string): ListWindow {
  const gone = positionOf(window, id);
  if (gone === -1) return window;
  const rest = [...window.entries].filter(([at]) => at !== gone);
  const entries = new Map(rest.map(([at, entry]) => [at > gone ? at - 1 : at, entry]));
  return { ...window, total: window.total - 1, entries };
}

/** Clears the unread mark of a conversation that was opened here. */
export function withRead(window: ListWindow, id: string): ListWindow {
  const at = positionOf(window, id);
  const entry = window.entries.get(at);
  if (!entry?.row.isUnread) return window;
  const entries = new Map(window.entries).set(at, { ...entry, row: { ...entry.row, isUnread: false } });
  return { ...window, entries };
}

export function rowAt(window: ListWindow, at: number): ListedConversation | undefined {
  return window.entries.get(at)?.row;
}

/** @returns -1 when it is not known */
export function positionOf({ entries }: ListWindow, id: string): number {
  for (const [at, { row }] of entries) if (row.id === id && at >= 0) return at;
  return -1;
}

/** The pages, counted from 0, that are needed to show these positions, both included. */
export function missingPages({ entries, epoch, total }: ListWindow, first: number, last: number): number[] {
  const pages = new Set<number>();
  for (let at = Math.max(0, first); at <= Math.min(last, total - 1); at++) {
    if (entries.get(at)?.epoch !== epoch) pages.add(Math.floor(at / PAGE));
  }
  return [...pages];
}

function placed(window: ListWindow, { offset, rows }: ListAnswer): ListWindow {
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
