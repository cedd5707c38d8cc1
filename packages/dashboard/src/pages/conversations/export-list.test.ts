import { afterEach, expect, it, vi } from "vitest";

const listConversations = vi.hoisted(() => vi.fn());
vi.mock("../../data/api.ts", () => ({ api: { listConversations } }));

import { csvAddress, exportList } from "./export-list.ts";

afterEach(() => vi.resetAllMocks());

/** A server's list, newest first, that changes after each page. */
function serve(ids: string[], change: (ids: string[], pages: number) => string[]) {
  let list = ids;
  let pages = 0;
  listConversations.mockImplementation(async ({ limit, offset }: { limit: number; offset: number }) => {
    const data = list.slice(offset, offset + limit).map((id) => ({ id, title: id }));
    const pagination = { total: list.length, limit, offset };
    list = change(list, ++pages);
    return { data, pagination };
  });
}

const ids = Array.from({ length: 350 }, (_, at) => `conv_${String(999 - at)}`);
const exported = async () => {
  const parts = await exportList({ agentId: "agent_1" }, "jsonl", {
    onProgress: () => {},
    signal: new AbortController().signal,
  });
  const lines = parts.join("").trim().split("\n");
  return lines.map((line) => JSON.parse(line).id);
};

it("an export as CSV is requested from the server with the same filters", () => {
  const query = { agentId: "agent_1", q: "a&b", hasForm: true, from: "2026-02-28T18:30:00.000Z" };
  const address = new URL(csvAddress(query), "https://foyer.example");
  expect(address.pathname).toBe("/conversations");
  expect(Object.fromEntries(address.searchParams)).toEqual({ ...query, hasForm: "true", format: "csv" });
});

it("an export includes every remaining conversation although others are deleted meanwhile", async () => {
  // Only conversations that were already read are deleted.
  serve(ids, (list, pages) => (pages === 1 ? list.slice(30) : pages === 4 ? list.slice(60) : list));
  expect(await exported()).toEqual(ids);
});

it("an export leaves out new conversations even when it has to read the beginning again", async () => {
  serve(ids, (list, pages) => (pages === 1 ? ["conv_new", ...list.slice(100)] : list));
  expect(await exported()).toEqual(ids);
});

it("an export includes each conversation once although new ones arrive meanwhile", async () => {
  serve(ids, (list, pages) => [`conv_new${pages}`, ...list]);
  expect(await exported()).toEqual(ids);
});

it("an export includes all of an unchanged list, and ends when everything has been deleted", async () => {
  serve(ids, (list) => list);
  expect(await exported()).toEqual(ids);
  serve(ids.slice(0, 200), (list) => list);
  expect(await exported()).toEqual(ids.slice(0, 200));
  serve(ids, () => []);
  expect(await exported()).toEqual(ids.slice(0, 100));
});
