import type { Ownership } from "@foyer/contract";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createReply } from "../conversation/conversation-state.ts";
import { createEventBus } from "../loader/event-bus.ts";
import { createStore } from "../store.ts";
import { createSeenMessages } from "./seen-messages.ts";

const ada = { name: "Ada", initials: "A" };
let page: EventTarget;
let isHidden: boolean;

beforeEach(() => {
  page = new EventTarget();
  isHidden = false;
  vi.stubGlobal("requestAnimationFrame", () => 0);
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("document", {
    get hidden() {
      return isHidden;
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

/** A page of the visitor. `entries` is what the browser stores for all of them. */
function open(entries: Map<string, unknown>, isOpen: boolean) {
  const missed: number[] = [];
  const bus = createEventBus();
  bus.on("missed", (count) => missed.push(count));
  const storage = {
    read: (_: string, name: string) => entries.get(name) ?? null,
    write: (_: string, name: string, value: unknown) => void entries.set(name, value),
  };
  const chat = createStore({ entries: [] as object[], ownership: null as Ownership | null });
  const visitor = { current: { id: "conv_1", token: "token_1" } };
  const onChange = vi.fn();
  const panelState = createStore({ isOpen });
  const request = vi.fn(async () => new Response());
  const core = { storage, options: { agentId: "agent_1" }, visitor, bus };
  const parts = { panelState, onChange, signal: new AbortController().signal };
  const seen = createSeenMessages({ core, request, chat: { store: chat } } as never, parts as never);
  const show = (handler: Ownership["handler"], ...ids: string[]) => {
    const replies = ids.map((id) => ({ ...createReply(id), id, person: ada }));
    chat.set({ entries: replies, ownership: { handler, epoch: 1, assignee: null, handoff: null } });
    seen.keep();
  };
  return { seen, show, missed, onChange, visitor, panelState, request };
}

it("the launcher counts the messages of the team that arrived while no page was open", () => {
  const stored = new Map<string, unknown>();
  open(stored, true).show("human", "msg_1");
  const later = open(stored, false);
  later.show("human", "msg_1", "msg_2", "msg_3");
  later.seen.showMissed();
  expect(later.missed).toEqual([2]);
});

it("the launcher counts nothing while the panel is open, and forgets a conversation whose handoff has ended and was seen", () => {
  const stored = new Map<string, unknown>();
  const { seen, show, missed, panelState } = open(stored, false);
  show("human", "msg_1");
  show("agent", "msg_1", "msg_2");
  expect(stored.get("handoff")).toEqual({ id: "conv_1", seen: "msg_1" });
  panelState.set({ isOpen: true });
  seen.showMissed();
  seen.keep();
  expect([missed, stored.get("handoff")]).toEqual([[], null]);
});

it("a message does not count as seen in a page that is in the background", () => {
  const stored = new Map<string, unknown>();
  const { show } = open(stored, true);
  show("human", "msg_1");
  isHidden = true;
  show("human", "msg_1", "msg_2");
  expect(stored.get("handoff")).toEqual({ id: "conv_1", seen: "msg_1" });
});

it("a message of the team is reported once to the server when the visitor sees it", () => {
  const { show, seen, request, panelState } = open(new Map(), false);
  show("human", "msg_1", "msg_2");
  expect(request).not.toHaveBeenCalled();
  panelState.set({ isOpen: true });
  isHidden = true;
  seen.keep();
  expect(request).not.toHaveBeenCalled();
  isHidden = false;
  seen.keep();
  seen.keep();
  expect(request).toHaveBeenCalledExactlyOnceWith("/conversations/conv_1/seen", {
    method: "POST",
    token: "token_1",
    body: { messageId: "msg_2" },
  });
});

it("the last message of a person is reported after the person has returned the conversation, and never again", () => {
  const stored = new Map<string, unknown>();
  open(stored, false).show("human", "msg_1");
  const later = open(stored, true);
  later.show("agent", "msg_1", "msg_2");
  expect(later.request).toHaveBeenCalledOnce();
  const next = open(stored, true);
  next.show("agent", "msg_1", "msg_2");
  expect(next.request).not.toHaveBeenCalled();
});

it("the launcher follows what another tab has seen, and ignores its other stored values", () => {
  const { onChange, visitor, seen, missed } = open(new Map([["handoff", { id: "conv_1", seen: null }]]), false);
  const change = (key: string) => page.dispatchEvent(Object.assign(new Event("storage"), { key }));
  change("foyer:agent_1:visit");
  expect(onChange).not.toHaveBeenCalled();
  change("foyer:agent_1:handoff");
  expect(onChange).toHaveBeenCalledOnce();
  visitor.current = { id: "conv_2", token: "token_2" };
  seen.showMissed();
  expect(missed).toEqual([]);
});
