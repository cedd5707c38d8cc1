import { expect, expectTypeOf, it } from "vitest";
import type { ManagementClient } from "./management-client.ts";
import { paginate } from "./paginate.ts";

type Query = { limit?: number; offset?: number; agentId: string };

/** A list of `total` items. Each page holds at most `pageSize` items, whatever limit is requested. */
function createList(total: number, pageSize = Number.POSITIVE_INFINITY) {
  const queries: Query[] = [];
  const list = async (query: Query) => {
    queries.push(query);
    const { limit = 20, offset = 0 } = query;
    const size = Math.min(limit, pageSize, Math.max(0, total - offset));
    const data = Array.from({ length: size }, (_, index) => ({ id: `conv_${offset + index}` }));
    return { data, pagination: { total, limit, offset } };
  };
  return { list, queries };
}

const collect = async <T>(items: AsyncIterable<T>) => Array.fromAsync(items);

it("paginate yields every item of a list that spans several pages", async () => {
  const { list, queries } = createList(250);
  const items = await collect(paginate(list, { agentId: "agent_1" }));
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 250 }, (_, index) => `conv_${index}`));
  expect(queries.map(({ offset, limit }) => [offset, limit])).toEqual([
    [0, 100],
    [100, 100],
    [200, 100],
  ]);
});

it("paginate continues after a page with fewer items than its limit", async () => {
  const { list } = createList(10, 3);
  expect(await collect(paginate(list, { agentId: "agent_1" }))).toHaveLength(10);
});

it("paginate yields an item once when a newer one moves it to the next page", async () => {
  const pages = [
    ["c", "b"],
    ["b", "a"],
  ];
  const list = async ({ offset = 0 }: Query) => ({
    submissions: (pages[offset / 2] ?? []).map((id) => ({ id })),
    pagination: { total: 4, limit: 2, offset },
  });
  const items = await collect(paginate(list, { agentId: "agent_1", limit: 2 }));
  expect(items.map(({ id }) => id)).toEqual(["c", "b", "a"]);
});

it("paginate stops at an empty page even when the total is higher", async () => {
  const { list, queries } = createList(0);
  const endless = async (query: Query) => ({ ...(await list(query)), pagination: { total: 9, limit: 2, offset: 0 } });
  expect(await collect(paginate(endless, { agentId: "agent_1" }))).toEqual([]);
  expect(queries).toHaveLength(1);
});

it("paginate follows the cursor of a list that has one", async () => {
  const requests: object[] = [];
  const list = async (query: { sort: "activity"; limit?: number; after?: string }) => {
    requests.push(query);
    const data = query.after === undefined ? [{ id: 4 }, { id: 3 }] : [{ id: 2 }];
    return { data, pagination: { total: 3, limit: 2, offset: 0, cursor: query.after === undefined ? "c1" : null } };
  };
  expect(await collect(paginate(list, { sort: "activity", limit: 2 }))).toEqual([{ id: 4 }, { id: 3 }, { id: 2 }]);
  expect(requests).toEqual([
    { sort: "activity", limit: 2, offset: 0 },
    { sort: "activity", limit: 2, after: "c1" },
  ]);
});

it("paginate infers the type of the items of each list", () => {
  const client = {} as ManagementClient;
  const conversations = () => paginate(client.listConversations, { agentId: "agent_1" });
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof conversations>["next"]>>["value"]>().not.toBeAny();
  const submissions = () => paginate(client.listSubmissions, { status: "webhook_failed" });
  type Submission = Exclude<Awaited<ReturnType<ReturnType<typeof submissions>["next"]>>["value"], void>;
  expectTypeOf<Submission["id"]>().toEqualTypeOf<string>();
  // @ts-expect-error: a list of agents has no pages
  void (() => paginate(client.listAgents, {}));
});
