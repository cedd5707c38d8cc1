import fc from "fast-check";
import { expect, it } from "vitest";
import type { ListedConversation } from "./inbox-search.ts";
import {
  findMissingPages,
  findPosition,
  type ListWindow,
  openWindow,
  PAGE,
  rowAt,
  withMovedTop,
  withNewConversations,
  without,
  withPage,
  withTags,
  withTop,
} from "./list-window.ts";

/** A simulated server list, newest first. Ids are in chronological order. */
function createServer(count: number) {
  let last = 0;
  const ids: string[] = [];
  const add = () => ids.unshift(`conv_${String(++last).padStart(8, "0")}`);
  for (let at = 0; at < count; at++) add();
  return {
    add,
    remove: (at: number) => ids.splice(at, 1)[0],
    ids: () => ids,
    ask: (offset = 0) => ({
      offset,
      total: ids.length,
      rows: ids.slice(offset, offset + PAGE).map((id) => ({ id }) as ListedConversation),
    }),
  };
}

const askMissing = (window: ListWindow, server: ReturnType<typeof createServer>, first: number, last: number) => {
  let next = window;
  for (let round = 0; round < 5; round++) {
    for (const page of findMissingPages(next, first, last)) next = withPage(next, server.ask(page * PAGE + next.fresh));
  }
  return next;
};

it("the list window keeps positions while new conversations arrive", () => {
  const server = createServer(1_000);
  let window = askMissing(openWindow(server.ask()), server, 480, 520);
  const read = rowAt(window, 500)?.id;
  server.add();
  server.add();
  window = withTop(window, server.ask());
  expect([window.fresh, window.total, rowAt(window, 500)?.id]).toEqual([2, 1_000, read]);
  // Another conversation arrived since the last request, and the next page reveals it.
  server.add();
  window = askMissing(window, server, 700, 710);
  expect([window.fresh, rowAt(window, 705)?.id]).toEqual([3, server.ids()[708]]);
  window = withNewConversations(window);
  expect([window.total, window.fresh, rowAt(window, 503)?.id]).toEqual([1_003, 0, read]);
  window = withTop(window, server.ask());
  expect([window.fresh, rowAt(window, 503)?.id, rowAt(window, 0)?.id]).toEqual([0, read, server.ids()[0]]);
});

it("the list window removes conversations that were deleted here", () => {
  const server = createServer(250);
  let window = askMissing(openWindow(server.ask()), server, 0, 249);
  const id = server.remove(120) ?? "";
  window = without(window, id);
  expect([window.total, findPosition(window, id)]).toEqual([249, -1]);
  expect(server.ids().every((known, at) => rowAt(window, at)?.id === known)).toBe(true);
  expect(findMissingPages(withTop(window, server.ask()), 0, 248)).toEqual([]);
});

it("the list window notices conversations that were deleted elsewhere when its top is refetched", () => {
  const server = createServer(300);
  let window = askMissing(openWindow(server.ask()), server, 0, 299);
  server.remove(40);
  window = askMissing(withTop(window, server.ask()), server, 0, 298);
  expect(window.total).toBe(299);
  expect(server.ids().every((known, at) => rowAt(window, at)?.id === known)).toBe(true);
});

it("the list window stays consistent with the server for any sequence of changes", () => {
  const act = fc.oneof(
    fc.constant({ kind: "add" as const }),
    fc.record({ kind: fc.constant("remove" as const), at: fc.nat(400) }),
    fc.record({ kind: fc.constant("look" as const), at: fc.nat(400) }),
    fc.constant({ kind: "top" as const }),
  );
  fc.assert(
    fc.property(fc.nat(350), fc.array(act, { maxLength: 20 }), (count, acts) => {
      const server = createServer(count);
      let window = openWindow(server.ask());
      for (const step of acts) {
        if (step.kind === "add") server.add();
        else if (step.kind === "remove") server.remove(step.at);
        else if (step.kind === "top") window = withTop(window, server.ask());
        else window = askMissing(window, server, step.at, step.at + 20);
      }
      window = withNewConversations(withTop(window, server.ask()));
      window = askMissing({ ...window, epoch: window.epoch + 1 }, server, 0, window.total);
      expect(window.total).toBe(server.ids().length);
      expect(server.ids().every((known, at) => rowAt(window, at)?.id === known)).toBe(true);
    }),
  );
});

it("the list window ends where the rows end when the total is too high", () => {
  const server = createServer(150);
  const wrong = (offset: number) => ({ ...server.ask(offset), total: 400 });
  let window = openWindow(wrong(0));
  window = withPage(window, wrong(100));
  expect([window.total, findMissingPages(window, 0, 400)]).toEqual([150, []]);
});

it("the list window adopts the new order of waiting visitors, and refetches the rows further down", () => {
  const rows = Array.from({ length: 150 }, (_, index) => ({ id: `conv_${index}` }) as ListedConversation);
  const page = (all: typeof rows, offset: number) => ({
    offset,
    total: all.length,
    rows: all.slice(offset, offset + PAGE),
  });
  let window = withPage(openWindow(page(rows, 0)), page(rows, 100));
  const moved = rows.slice(1);
  window = withMovedTop(window, page(moved, 0));
  expect([window.total, window.fresh, rowAt(window, 0)?.id]).toEqual([149, 0, "conv_1"]);
  expect(findMissingPages(window, 0, 148)).toEqual([1]);
  window = withPage(window, page(moved, 100));
  expect([findMissingPages(window, 0, 148), rowAt(window, 148)?.id]).toEqual([[], "conv_149"]);
});

it("the list window limits the number of cached rows", () => {
  const server = createServer(30_000);
  let window = openWindow(server.ask());
  for (let at = 0; at < 30_000; at += PAGE) window = withPage(window, server.ask(at));
  expect(window.entries.size).toBeLessThan(6_000);
  expect(findMissingPages(window, 29_950, 29_999)).toEqual([]);
});

it("the list window updates the tags of a conversation, and stays the same when they have not changed", () => {
  const tags = [{ id: "tag_1", name: "refund" }];
  const rows = [
    { id: "conv_2", tags: [] },
    { id: "conv_1", tags },
  ] as unknown as ListedConversation[];
  const window = openWindow({ offset: 0, total: 2, rows });
  expect(rowAt(withTags(window, "conv_2", tags), 0)).toEqual({ id: "conv_2", tags });
  expect(withTags(window, "conv_1", [...tags])).toBe(window);
  expect(withTags(window, "conv_0", tags)).toBe(window);
});
