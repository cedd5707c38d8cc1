import type { Ownership } from "@foyer/contract";
import { joinText } from "../conversation/conversation-state.ts";
import { interpolate } from "../locales/load-messages.ts";
import { toPlainText } from "../markdown/plain-text.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import { createAnnouncer } from "./announcer.ts";
import { type HandoffState, listTeamMessages } from "./handoff-state.ts";
import type { Sound } from "./sound.ts";
import type { HandoffTexts } from "./texts/load-texts.ts";

type Parts = { texts: HandoffTexts; sound: Sound };

/** Reports each change once to screen readers, the page and the launcher. */
export function createHandoffNews({ core, chat }: PanelContext, { texts, sound }: Parts) {
  const { visitor, bus, agent } = core;
  const announce = createAnnouncer(chat);

  function reportMessages(before: HandoffState, after: HandoffState): void {
    const known = new Set(before.entries.map(({ key }) => key));
    for (const entry of listTeamMessages(after.entries).filter(({ key }) => !known.has(key))) {
      const person = entry.person?.name ?? "";
      const text = joinText(entry);
      announce(`${person}: ${toPlainText(text)}`);
      bus.emit("message", { role: "assistant", text, conversationId: visitor.current?.id ?? null, person });
      sound.playFor(entry.key);
    }
  }

  function reportOwnership(before: Ownership | null, after: Ownership | null): void {
    const conversationId = visitor.current?.id;
    // In a conversation without any request for a person, the agent replies, so there is nothing to report.
    if (!conversationId || !after || after.epoch === (before?.epoch ?? 0)) return;
    const { handler, assignee, epoch } = after;
    const name = handler === "human" ? assignee?.name : undefined;
    bus.emit("handoff", { handler, person: name ?? null, conversationId });
    if (handler === "waiting") announce(texts.waiting);
    else if (handler === "human") {
      announce(name ? interpolate(texts.talkingTo, { name }) : texts.talkingToSomebody);
      sound.playFor(`${conversationId}:${epoch}`);
    } else if (before?.handler === "human") {
      announce(interpolate(texts.over, { name: before.assignee?.name ?? texts.somebody, agent: agent.name }));
    }
  }

  return {
    announce,
    report(before: HandoffState, after: HandoffState): void {
      reportMessages(before, after);
      reportOwnership(before.ownership, after.ownership);
    },
  };
}
