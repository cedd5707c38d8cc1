import type { ConversationLiveEvent, Message, Ownership, Person, WidgetHandoff } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { createReply, type Entry, joinText, type ReplyEntry, toEntries } from "../conversation/conversation-state.ts";
import { applyLiveEvent, chooseView, type HandoffState, listTeamMessages } from "./handoff-state.ts";
import { texts as english } from "./texts/handoff-en.ts";

const ada = { name: "Ada Byron", initials: "AB" };
const noon = Date.parse("2026-03-02T12:00:00Z");
const settings: WidgetHandoff = {
  hasButton: true,
  isOpen: true,
  opensAt: null,
  promiseMinutes: 10,
  whileWaiting: "agent",
  canEmail: true,
};

const ownership = (handler: Ownership["handler"], epoch: number, promisedAt: string | null = null): Ownership => ({
  handler,
  epoch,
  assignee: handler === "human" ? ada : null,
  handoff:
    handler === "agent"
      ? null
      : {
          cause: "visitor",
          reason: null,
          requestedAt: "2026-03-02T11:50:00Z",
          promisedAt,
          takenAt: null,
          answeredAt: null,
        },
});

function createMessage(
  id: string,
  kind: Message["author"]["kind"],
  content: string,
  changes: Partial<Message> = {},
): Message {
  return {
    id,
    role: kind === "visitor" ? "user" : "assistant",
    author: { kind, person: kind === "member" ? ada : null },
    content,
    createdAt: "2026-03-02T11:55:00Z",
    attachments: [],
    notices: [],
    toolCalls: [],
    sources: [],
    suggestions: [],
    feedback: null,
    stopReason: kind === "agent" ? "end_turn" : null,
    ...changes,
  };
}

const owned = (by: Ownership): ConversationLiveEvent => ({ type: "ownership", ownership: by });
const said = (by: Message): ConversationLiveEvent => ({ type: "message", message: by });
const typing: ConversationLiveEvent = { type: "typing", person: ada };
const sentHere = (key: string, text: string, state: "sent" | "unsent" = "sent"): Entry => ({
  type: "user",
  key,
  text,
  state,
  at: noon,
});
const empty: HandoffState = { entries: [], ownership: null, typing: null };
const after = (state: HandoffState, ...events: ConversationLiveEvent[]) => events.reduce(applyLiveEvent, state);
const texts = ({ entries }: HandoffState) =>
  entries.map((entry) => (entry.type === "reply" ? joinText(entry) : entry.type === "user" ? entry.text : "form"));

describe("the state of a conversation that is handed over", () => {
  it("adds the messages of the team and the visitor, each once, in the order in which they arrive", () => {
    const events = [
      owned(ownership("human", 2)),
      said(createMessage("msg_1", "member", "Hello, Ada here.")),
      said(createMessage("msg_2", "visitor", "From another tab")),
    ];
    const once = after(empty, ...events);
    expect(texts(once)).toEqual(["Hello, Ada here.", "From another tab"]);
    expect(after(once, ...events)).toEqual(once);
    expect(listTeamMessages(once.entries).map(({ id, person }) => [id, person])).toEqual([["msg_1", ada]]);
  });

  it("recognizes the visitor's own messages, even two with the same text", () => {
    const here = { ...empty, entries: [sentHere("local-1", "ok"), sentHere("local-2", "ok")] };
    const state = after(
      here,
      said(createMessage("msg_1", "visitor", "ok")),
      said(createMessage("msg_2", "visitor", "ok")),
    );
    expect(state.entries.map((entry) => entry.type === "user" && [entry.key, entry.id])).toEqual([
      ["local-1", "msg_1"],
      ["local-2", "msg_2"],
    ]);
    expect(texts(after(state, said(createMessage("msg_3", "visitor", "ok"))))).toEqual(["ok", "ok", "ok"]);
  });

  it("clears the failure of a message that had arrived although its response was lost", () => {
    const refused: ReplyEntry = {
      ...createReply("local-3"),
      state: "refused",
      problem: "Not reached",
      unsentKey: "local-1",
    };
    const next = sentHere("local-2", "Hello?");
    const here = { ...empty, entries: [sentHere("local-1", "Are you there?", "unsent"), next, refused] };
    const { entries } = after(here, said(createMessage("msg_1", "visitor", "Are you there?")));
    expect(entries).toEqual([{ ...sentHere("local-1", "Are you there?"), id: "msg_1" }, next]);
  });

  it("does not repeat a reply of the agent that streams in here, and leaves out one that runs elsewhere", () => {
    const running: ReplyEntry = { ...createReply("local-1"), id: "msg_1" };
    const here = { ...empty, entries: [running] };
    expect(after(here, said(createMessage("msg_1", "agent", "We open at nine."))).entries).toEqual([running]);
    expect(after(empty, said(createMessage("msg_2", "agent", "We", { stopReason: null }))).entries).toEqual([]);
    expect(texts(after(empty, said(createMessage("msg_2", "agent", "We open at nine."))))).toEqual([
      "We open at nine.",
    ]);
  });

  it("ignores an older handler that arrives late", () => {
    const state = after(empty, owned(ownership("human", 4)), owned(ownership("waiting", 3)));
    expect(state.ownership?.handler).toBe("human");
  });

  it("shows typing until the person's message or the end of the handoff", () => {
    const person = after(empty, owned(ownership("human", 2)), typing);
    expect(person.typing).toEqual(ada);
    expect(after(person, said(createMessage("msg_1", "visitor", "Hm"))).typing).toEqual(ada);
    expect(after(person, said(createMessage("msg_1", "member", "Yes"))).typing).toBeNull();
    expect(after(person, owned(ownership("agent", 3))).typing).toBeNull();
  });
});

describe("what the visitor sees above the message field", () => {
  const view = (state: HandoffState, now = noon, given: WidgetHandoff | null = settings, left: Person | null = null) =>
    chooseView({ ...state, left }, { settings: given, wish: english.wish, now });

  it("offers a person unless the agent has no button", () => {
    expect(view(empty).type).toBe("offer");
    const without = { ...settings, hasButton: false };
    expect(view(empty, noon, without).type).toBe("none");
    const failed = { ...createReply("a"), id: "msg_1", isLasting: true };
    expect(view({ ...empty, entries: [failed] }, noon, without).type).toBe("offer");
    expect(view({ ...empty, entries: [{ ...failed, id: null }] }, noon, without).type).toBe("none");
    expect(view({ ...empty, entries: [failed] }, noon, null).type).toBe("none");
    expect(view(empty, noon, null).type).toBe("none");
  });

  it("makes the offer urgent after a failure, a bad rating, and a text of the visitor about a person", () => {
    const offer = (...entries: Entry[]) => view({ ...empty, entries });
    const asked = (text: string): Entry => ({ type: "user", key: "q", text, state: "sent", at: 0 });
    const reply = { ...createReply("a"), state: "done" } as const;
    expect(offer(asked("When do you open?"), reply)).toEqual({ type: "offer", isUrgent: false });
    expect(offer(asked("When do you open?"), { ...reply, state: "failed" })).toEqual({ type: "offer", isUrgent: true });
    expect(offer({ ...reply, rating: "down" })).toEqual({ type: "offer", isUrgent: true });
    expect(offer(asked("Can I talk to a Person?"), reply)).toEqual({ type: "offer", isUrgent: true });
    expect(offer(asked("Is it personal?"), reply)).toEqual({ type: "offer", isUrgent: false });
  });

  it("shows the wait, then that the promised time has passed, and then the person's name", () => {
    const waiting = after(empty, owned(ownership("waiting", 1, "2026-03-02T12:00:00Z")));
    expect(view(waiting, noon - 1_000)).toEqual({ type: "waiting", isLate: false });
    expect(view(waiting, noon + 1_000)).toEqual({ type: "waiting", isLate: true });
    expect(view(after(waiting, owned(ownership("human", 2))))).toEqual({ type: "person", person: ada });
  });

  it("shows that the handoff is over until the agent replies, even after a reload", () => {
    const talk = after(empty, owned(ownership("human", 2)), said(createMessage("msg_1", "member", "Done.")));
    const thanked = after(talk, said(createMessage("msg_2", "visitor", "Thanks")), owned(ownership("agent", 3)));
    expect(view(thanked)).toMatchObject({ type: "over", person: ada, reply: { id: "msg_1" } });
    const stored = [createMessage("msg_1", "member", "Done."), createMessage("msg_2", "visitor", "Thanks")];
    const reloaded = { ...empty, entries: toEntries({ messages: stored }), ownership: ownership("agent", 3) };
    expect(view(reloaded)).toMatchObject({ type: "over", person: ada });
    expect(view(after(thanked, said(createMessage("msg_3", "agent", "You're welcome.")))).type).toBe("offer");
  });

  it("says that a person who wrote nothing has left, and then offers a person again", () => {
    const state = after(empty, owned(ownership("human", 2)), owned(ownership("agent", 3)));
    expect(view(state, noon, settings, ada)).toEqual({ type: "over", person: ada, reply: null });
    expect(view(state).type).toBe("offer");
  });
});
