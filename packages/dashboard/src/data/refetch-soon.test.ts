import { FoyerError } from "@foyer/sdk";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRefetching } from "./refetch-soon.ts";

const queryKey = ["listConversations", { agentId: "agent_1" }];
let client: QueryClient;
let fetched: ReturnType<typeof vi.fn<() => Promise<string>>>;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
  client = new QueryClient({ defaultOptions: { queries: { staleTime: 60_000, retry: false } } });
  fetched = vi.fn(async () => "the list");
  stop = new QueryObserver(client, { queryKey, queryFn: () => fetched() }).subscribe(() => {});
});
afterEach(() => {
  stop();
  client.clear();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

it("combines changes in quick succession into one fetch, and fetches none while the page is hidden", async () => {
  const refetchSoon = createRefetching(client);
  await wait(0);
  expect(fetched).toHaveBeenCalledTimes(1);
  for (let change = 0; change < 5; change++) refetchSoon(["listConversations"]);
  await wait(1_000);
  expect(fetched).toHaveBeenCalledTimes(2);

  vi.stubGlobal("document", { hidden: true });
  refetchSoon(["listConversations"]);
  await wait(60_000);
  expect(fetched).toHaveBeenCalledTimes(2);
  // A visible page refetches what is out of date.
  expect(client.getQueryCache().find({ queryKey })?.isStale()).toBe(true);
});

it("fetches again after a temporary failure, without another change, and sooner when there is one", async () => {
  const refetchSoon = createRefetching(client);
  await wait(0);
  fetched.mockRejectedValue(new FoyerError("UNREACHABLE", "The server could not be reached."));
  refetchSoon(["listConversations"]);
  await wait(1_000);
  expect(fetched).toHaveBeenCalledTimes(2);
  refetchSoon(["listConversations"]);
  await wait(1_000);
  expect(fetched).toHaveBeenCalledTimes(3);
  fetched.mockResolvedValue("the new list");
  await wait(10_000);
  expect(client.getQueryData(queryKey)).toBe("the new list");
  await wait(60_000);
  expect(fetched).toHaveBeenCalledTimes(4);
});
