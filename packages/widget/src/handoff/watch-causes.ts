import type { Chat } from "../conversation/create-chat.ts";

/**
 * Calls back immediately, and whenever the chat changes in a way that matters for a handoff, but not for each token of
 * a reply. `isCause` means that the server may have requested a person because of a tool call or a bad rating.
 */
export function watchCauses(chat: Chat, onChange: (change: { isCause: boolean }) => void, signal: AbortSignal): void {
  let before = "";
  let causesBefore = "";
  const checkCauses = () => {
    const { entries, ownership, phase, running } = chat.store.get();
    const last = entries.findLast((entry) => entry.type === "reply");
    const calls = last?.parts.filter((part) => part.type === "tool" && isCause(part.kind, part.state)).length ?? 0;
    const badRatings = entries.filter((entry) => entry.type === "reply" && entry.rating === "down").length;
    const causes = `${calls ? last?.key : ""} ${calls} ${badRatings}`;
    const now = [ownership?.handler, ownership?.epoch, phase, entries.length, running, causes].join(" ");
    if (now === before) return;
    const isNew = before !== "" && causes !== causesBefore && phase === "ready";
    before = now;
    causesBefore = causes;
    onChange({ isCause: isNew });
  };
  signal.addEventListener("abort", chat.store.watch(checkCauses));
  checkCauses();
}

const isCause = (kind: string | null | undefined, state: string) =>
  state === "failed" || (kind === "handoff" && state === "done");
