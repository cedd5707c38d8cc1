import type { Source } from "@foyer/contract";
import { joinText, type Piece } from "../conversations/message-pieces.ts";
import { listCitedSources } from "../conversations/sources.ts";
import type { MadeCall } from "./dry-run/answer-for-tools.ts";

/** What checks read of a reply. */
export type SpokenReply = {
  text: string;
  /** the calls that a tool accepted, without searches of the documents */
  calls: MadeCall[];
  sources: Source[];
  asksForPerson: boolean;
};

export function toSpokenReply(pieces: readonly Piece[]): SpokenReply {
  const tools = pieces.flatMap((piece) => (piece.type === "tool" && piece.result?.isError !== true ? [piece] : []));
  return {
    text: joinText(pieces).trim(),
    calls: tools
      .filter(({ executionType }) => executionType !== "documents" && executionType !== "handoff")
      .map(({ name, input, sent }) => ({ name, input: sent?.input ?? input })),
    sources: listCitedSources(pieces),
    asksForPerson: tools.some(({ executionType }) => executionType === "handoff"),
  };
}
