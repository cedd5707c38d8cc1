import type { ConversationLiveEvent } from "@foyer/contract";
import { createRequest } from "@foyer/sdk";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createConversationFollower } from "./follow-conversation.ts";

type Call = {
  url: string;
  lastEventId: string | undefined;
  send: (id: string, event: object) => void;
  isOpen: () => boolean;
};

const waiting = { type: "ownership", ownership: { handler: "waiting", epoch: 1, assignee: null, handoff: null } };
const over = { type: "ownership", ownership: { handler: "agent", epoch: 3, assignee: null, handoff: null } };
const message = (id: string) => ({ type: "message", message: { id } });

/** Locks as in browsers: a tab that steals a lock ends the request of the tab that has it. */
function createLocks() {
  let holder: { reject: (reason: unknown) => void; done: Promise<unknown> } | null = null;
  const waiting: Array<() => void> = [];
  const release = () => {
    holder = null;
    waiting.shift()?.();
  };
  return {
    request(_: string, { steal, signal }: { steal?: boolean; signal?: AbortSignal }, work: () => Promise<void>) {
      return new Promise((resolve, reject) => {
        const take = () => {
          const own = { reject, done: Promise.resolve() };
          holder = own;
          const finished = () => {
            if (holder === own) release();
            resolve(undefined);
          };
          own.done = work().then(finished, finished);
        };
        signal?.addEventListener("abort", () => {
          const at = waiting.indexOf(take);
          if (at >= 0) waiting.splice(at, 1);
          reject(signal.reason);
        });
        if (holder && !steal) return void waiting.push(take);
        holder?.reject(new DOMException("stolen", "AbortError"));
        take();
      });
    },
  };
}

let page: EventTarget;
let calls: Call[];
let isHidden: boolean;
const tabs: AbortController[] = [];

beforeEach(() => {
  page = new EventTarget();
  calls = [];
  isHidden = false;
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("document", {
    get hidden() {
      return isHidden;
    },
  });
  vi.stubGlobal("navigator", { locks: createLocks() });
});
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.abort();
  vi.unstubAllGlobals();
});

const request = createRequest({
  baseUrl: "https://chat.example",
  fetch: async (url, init = {}) => {
    let isOpen = true;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (id: string, event: object) =>
          controller.enqueue(new TextEncoder().encode(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`));
        init.signal?.addEventListener("abort", () => {
          isOpen = false;
          controller.error(init.signal?.reason);
        });
        const lastEventId = new Headers(init.headers).get("last-event-id") ?? undefined;
        calls.push({ url: String(url), lastEventId, send, isOpen: () => isOpen });
      },
    });
    return new Response(body);
  },
});

function openTab(onLost: (isLost: boolean) => void = () => {}) {
  const events: ConversationLiveEvent[] = [];
  const life = new AbortController();
  tabs.push(life);
  const follower = createConversationFollower(request, {
    onEvent: (event) => events.push(event),
    isVisible: () => !isHidden,
    onLost,
    signal: life.signal,
  });
  return { follower, events, close: () => life.abort() };
}

const key = { id: "conv_1", token: "token" };
const callsSoFar = (count: number) => vi.waitFor(() => expect(calls).toHaveLength(count));

it("of several tabs, one is connected and passes the events on, and another one takes its place when it is closed", async () => {
  const first = openTab();
  first.follower.start(key);
  await callsSoFar(1);
  isHidden = true;
  const second = openTab();
  second.follower.start(key);
  calls[0]?.send("1:4", waiting);
  await vi.waitFor(() => expect([first.events, second.events]).toEqual([[waiting], [waiting]]));
  expect(calls).toHaveLength(1);
  first.close();
  await callsSoFar(2);
  // The tab was connected for the first time, so it reads what it may have missed.
  expect(calls[1]?.lastEventId).toBeUndefined();
  calls[1]?.send("1:5", message("msg_5"));
  await vi.waitFor(() => expect(second.events).toEqual([waiting, message("msg_5")]));
});

it("a tab in the background that reconnects does not confirm that the visitor has seen the messages", async () => {
  const tab = openTab();
  tab.follower.start(key);
  await callsSoFar(1);
  calls[0]?.send("1:5", message("msg_5"));
  await vi.waitFor(() => expect(tab.events).toHaveLength(1));
  isHidden = true;
  page.dispatchEvent(new Event("online"));
  await callsSoFar(2);
  expect(calls[1]).toMatchObject({ url: expect.stringMatching(/\/events\?visible=false$/), lastEventId: "1:5" });
  isHidden = false;
  page.dispatchEvent(new Event("visibilitychange"));
  await callsSoFar(3);
  expect(calls[2]).toMatchObject({ url: expect.stringMatching(/\/events$/), lastEventId: "1:5" });
});

it("the tab that the visitor looks at is connected, and continues after its own last event", async () => {
  const first = openTab();
  first.follower.start(key);
  await callsSoFar(1);
  calls[0]?.send("1:4", waiting);
  await vi.waitFor(() => expect(first.events).toHaveLength(1));
  const second = openTab();
  second.follower.start(key);
  await callsSoFar(2);
  expect([calls[0]?.isOpen(), calls[1]?.isOpen()]).toEqual([false, true]);
  calls[1]?.send("1:5", message("msg_5"));
  await vi.waitFor(() => expect(first.events).toEqual([waiting, message("msg_5")]));
  second.close();
  await callsSoFar(3);
  expect(calls[2]?.lastEventId).toBe("1:4");
});

it("the connection is renewed when the network is back or the page is visible again, and ends with the handoff", async () => {
  const { follower, events } = openTab();
  follower.start(key);
  await callsSoFar(1);
  calls[0]?.send("1:4", waiting);
  await vi.waitFor(() => expect(events).toHaveLength(1));
  page.dispatchEvent(new Event("online"));
  await callsSoFar(2);
  expect([calls[0]?.isOpen(), calls[1]?.lastEventId]).toEqual([false, "1:4"]);
  page.dispatchEvent(new Event("visibilitychange"));
  await callsSoFar(3);
  calls[2]?.send("3:4", over);
  await vi.waitFor(() => expect(follower.current()).toBeNull());
  page.dispatchEvent(new Event("online"));
  expect(calls).toHaveLength(3);
});

it("every tab is connected in a browser without locks", async () => {
  vi.stubGlobal("navigator", {});
  const [first, second] = [openTab(), openTab()];
  first.follower.start(key);
  second.follower.start(key);
  await callsSoFar(2);
  expect([calls[0]?.isOpen(), calls[1]?.isOpen()]).toEqual([true, true]);
});

it("continues after the last event when the conversation is followed again, and reads another one from its start", async () => {
  const { follower } = openTab();
  follower.start(key);
  await callsSoFar(1);
  calls[0]?.send("1:4", message("msg_4"));
  calls[0]?.send("3:4", over);
  await vi.waitFor(() => expect(follower.current()).toBeNull());
  follower.start(key);
  await callsSoFar(2);
  expect(calls[1]?.lastEventId).toBe("3:4");
  follower.start({ id: "conv_2", token: "token" });
  await callsSoFar(3);
  expect(calls[2]?.lastEventId).toBeUndefined();
});

it("connects every tab of a browser that blocks storage, where channels between tabs are forbidden", async () => {
  vi.stubGlobal("BroadcastChannel", function forbidden() {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  const { follower, events } = openTab();
  follower.start(key);
  await callsSoFar(1);
  calls[0]?.send("1:4", waiting);
  await vi.waitFor(() => expect(events).toEqual([waiting]));
});

it("reports a lost connection when the network has been gone for two seconds, and its return", async () => {
  const onLost = vi.fn();
  const { follower } = openTab(onLost);
  follower.start(key);
  await callsSoFar(1);
  onLost.mockClear();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    page.dispatchEvent(new Event("offline"));
    vi.advanceTimersByTime(1_900);
    expect(onLost).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(onLost.mock.calls).toEqual([[true]]);
    page.dispatchEvent(new Event("online"));
    expect(onLost).toHaveBeenLastCalledWith(false);
  } finally {
    vi.useRealTimers();
  }
});
