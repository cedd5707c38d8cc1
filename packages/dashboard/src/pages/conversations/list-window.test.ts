import fc from "fast-check";
import { expect, it } from "vitest";
import type { ListedConversation } from "./inbox-search.ts";
import {
  createPageQuery,
  findMissingPages,
  findPosition,
  type ListWindow,
  openWindow,
  PAGE,
  rowAt,
  withHeldTop,
  without,
  withPage,
  withTags,
  withTop,
} from "./list-window.ts";

/** A simulated server list by activity. The time of the last activity is a counter. */
function createServer(count: number) {
  let last = 0;
  let clock = 0;
  const rows: ListedConversation[] = [];
  const touch = (row: ListedConversation) =>
    rows.unshift({ ...row, updatedAt: String(++clock).padStart(8, "0") } as ListedConversation);
  const add = () => touch({ id: `conv_${++last}` } as ListedConversation);
  const remove = (at: number) => rows.splice(at, 1)[0];
  for (let at = 0; at < count; at++) add();
  return {
    add,
    remove,
    /** A message arrives in the conversation at a position. */
    move: (at: number) => {
      const row = remove(at);
      if (row) touch(row);
    },
    ids: () => rows.map(({ id }) => id),
    /** @param after the last activity before the page, as the server's cursor */
    ask: ({ offset = 0, after }: { offset?: number; after?: string } = {}, at = offset) => {
      const start = after === undefined ? offset : rows.findIndex(({ updatedAt }) => updatedAt < after);
      const page = start === -1 ? [] : rows.slice(start, start + PAGE);
      return { at, total: rows.length, rows: page, cursor: page.length === PAGE ? page.at(-1)?.updatedAt : null };
    },
  };
}

const askMissing = (window: ListWindow, server: ReturnType<typeof createServer>, first: number, last: number) => {
  let next = window;
  for (let round = 0; round < 5; round++) {
    for (const page of findMissingPages(next, first, last)) {
      next = withPage(next, server.ask(createPageQuery(next, page), page * PAGE));
    }
  }
  return next;
};

it("the list window keeps positions while conversations start or receive messages", () => {
  const server = createServer(1_000);
  let window = askMissing(openWindow(server.ask()), server, 480, 520);
  const read = rowAt(window, 500)?.id;
  server.add();
  server.move(700);
  window = withHeldTop(window, server.ask());
  expect([window.fresh, window.total, rowAt(window, 500)?.id]).toEqual([2, 1_000, read]);
  window = withTop(window, server.ask());
  expect([window.fresh, window.total, rowAt(window, 0)?.id]).toEqual([0, 1_001, server.ids()[0]]);
  expect(findMissingPages(window, 500, 505)).toEqual([5]);
  window = askMissing(window, server, 500, 505);
  expect(rowAt(window, 502)?.id).toBe(read);
});

it("the list window continues after the last row, without a conversation that moved to the top meanwhile", () => {
  const server = createServer(300);
  const known = server.ids();
  let window = openWindow(server.ask());
  server.move(50);
  server.move(250);
  window = askMissing(withHeldTop(window, server.ask()), server, 0, 220);
  expect(known.slice(0, 200).every((id, at) => rowAt(window, at)?.id === id)).toBe(true);
  const ids = [...window.entries.values()].map(({ row }) => row.id);
  expect(new Set(ids).size).toBe(ids.length);
});

it("the list window updates rows where they are while the user reads further down", () => {
  const server = createServer(150);
  const window = openWindow(server.ask());
  const id = server.ids()[10];
  server.move(10);
  const held = withHeldTop(window, server.ask());
  expect(rowAt(held, 10)).toMatchObject({ id, updatedAt: "00000151" });
});

it("the list window removes conversations that were deleted here", () => {
  const server = createServer(250);
  let window = askMissing(openWindow(server.ask()), server, 0, 249);
  const id = server.remove(120)?.id ?? "";
  window = without(window, id);
  expect([window.total, findPosition(window, id)]).toEqual([249, -1]);
  expect(server.ids().every((known, at) => rowAt(window, at)?.id === known)).toBe(true);
  expect(findMissingPages(window, 0, 248)).toEqual([]);
});

it("the list window is the server's list once its top is shown, for any sequence of changes", () => {
  const act = fc.oneof(
    fc.constant({ kind: "add" as const }),
    fc.record({ kind: fc.constantFrom("remove" as const, "move" as const, "load" as const), at: fc.nat(400) }),
    fc.constantFrom({ kind: "top" as const }, { kind: "held" as const }),
  );
  fc.assert(
    fc.property(fc.nat(350), fc.array(act, { maxLength: 20 }), (count, acts) => {
      const server = createServer(count);
      let window = openWindow(server.ask());
      for (const step of acts) {
        if (step.kind === "add") server.add();
        else if (step.kind === "remove") server.remove(step.at);
        else if (step.kind === "move") server.move(step.at);
        else if (step.kind === "top") window = withTop(window, server.ask());
        else if (step.kind === "held") window = withHeldTop(window, server.ask());
        else window = askMissing(window, server, step.at, step.at + 20);
      }
      window = withTop(window, server.ask());
      window = askMissing(window, server, 0, window.total);
      expect(window.total).toBe(server.ids().length);
      expect(server.ids().every((known, at) => rowAt(window, at)?.id === known)).toBe(true);
    }),
  );
});

it("the list window ends where the rows end when the total is too high", () => {
  const server = createServer(150);
  const wrong = (at: number) => ({ ...server.ask({ offset: at }), total: 400 });
  let window = openWindow(wrong(0));
  window = withPage(window, wrong(100));
  expect([window.total, findMissingPages(window, 0, 400)]).toEqual([150, []]);
});

it("the list window limits the number of cached rows", () => {
  const server = createServer(30_000);
  let window = openWindow(server.ask());
  for (let at = 0; at < 30_000; at += PAGE) window = withPage(window, server.ask({ offset: at }));
  expect(window.entries.size).toBeLessThan(6_000);
  expect(findMissingPages(window, 29_950, 29_999)).toEqual([]);
});

it("the list window updates the tags of a conversation, and stays the same when they have not changed", () => {
  const tags = [{ id: "tag_1", name: "refund" }];
  const rows = [
    { id: "conv_2", tags: [] },
    { id: "conv_1", tags },
  ] as unknown as ListedConversation[];
  const window = openWindow({ at: 0, total: 2, rows });
  expect(rowAt(withTags(window, "conv_2", tags), 0)).toEqual({ id: "conv_2", tags });
  expect(withTags(window, "conv_1", [...tags])).toBe(window);
  expect(withTags(window, "conv_0", tags)).toBe(window);
});
