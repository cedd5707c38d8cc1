import type { ReplayRun } from "@foyer/contract";
import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import type { ReplyTool } from "../../chat/loop/reply-tool.ts";
import type { ToolPiece } from "../../conversations/message-pieces.ts";
import type { ToolRow } from "../../db/tables.ts";
import { markCited } from "../../documents/describe-passages.ts";
import type { ReplyDocuments } from "../../documents/search-tool.ts";
import { toSafeNumbers } from "../../exact-json.ts";
import { type AgentTools, toFunctionTool } from "../../tools/agent-tools.ts";
import { failure, type NumberedPassage, type ToolOutcome } from "../../tools/tool-outcome.ts";
import { answerForHuman, type MadeCall } from "../dry-run/answer-for-tools.ts";
import { listToolPieces, type RecordedTurn, toArguments } from "./recorded-turn.ts";

type Divergence = NonNullable<ReplayRun["divergence"]>;

/**
 * The tools of one reply, which answer as they did when it was recorded. `onDivergence` is called once, for the first
 * call that was not recorded.
 */
export function createRecordedTools(turn: RecordedTurn, onDivergence: () => void) {
  const pieces = listToolPieces(turn);
  const searches = pieces.filter(({ executionType }) => executionType === "documents");
  const calls = pieces.filter(({ executionType }) => executionType !== "documents");
  const made = new Set<ToolPiece>();
  let divergence: Divergence | null = null;

  function diverge(found: Divergence): void {
    if (divergence !== null) return;
    divergence = found;
    onDivergence();
  }

  function answer({ name, input }: MadeCall, isSame: (piece: ToolPiece) => boolean): ToolOutcome {
    const same = calls.filter((piece) => piece.name === name && isSame(piece));
    // The same call again gets the same result.
    const piece = same.find((candidate) => !made.has(candidate)) ?? same[0];
    if (piece?.result) {
      made.add(piece);
      return piece.result;
    }
    diverge({ kind: "other_call", name, arguments: input ?? {} });
    return failure("This call was not recorded.");
  }

  return {
    toolsOf(rows: readonly ToolRow[]): AgentTools {
      return {
        tools: rows.map(toFunctionTool),
        find: (name) => rows.find((row) => row.name === name),
        runTool: async (call) => answer(call, (piece) => isSameInput(toArguments(piece), toSafeNumbers(call.input))),
      };
    },
    /** What the model writes to the team is worded freely, so requests for a person are the same call. */
    humanToolOf: (tool: ReplyTool | null) => answerForHuman(tool, (call) => answer(call, () => true)),
    documentsOf: (documents: ReplyDocuments | null) => answerSearches(documents, searches),
    /** Call this after the reply. @returns the call that differs from the recorded ones */
    divergence(): Divergence | null {
      if (divergence !== null) return divergence;
      // A model that no longer repeats a call that failed does better.
      const missing = calls.find((piece) => piece.result?.isError === false && !made.has(piece));
      return missing ? { kind: "missing_call", name: missing.name, arguments: toArguments(missing) ?? {} } : null;
    },
  };
}

/** Models word queries freely and a search has no effect, so searches get the recorded passages in their order. */
function answerSearches(documents: ReplyDocuments | null, searches: readonly ToolPiece[]): ReplyDocuments | null {
  if (documents?.kind !== "search") return documents;
  const passages: NumberedPassage[] = [];
  let next = 0;
  return {
    ...documents,
    openingCall: (message) => (searches.length > 0 ? documents.openingCall(message) : null),
    async run() {
      const recorded = searches[Math.min(next++, searches.length - 1)]?.result;
      if (!recorded) return failure("The documents contain nothing about this.");
      const found = (recorded.passages ?? []).map((passage) => ({ ...passage, isCited: false }));
      passages.push(...found);
      return { ...recorded, passages: found };
    },
    cite: (n) => markCited([...documents.earlier, ...passages], n),
  };
}

/** Ignores the order of properties and how texts are spaced. */
export function isSameInput(a: unknown, b: unknown): boolean {
  return toComparable(a) === toComparable(b);
}

function toComparable(input: unknown): string {
  const spaced = (_: string, value: unknown) =>
    typeof value === "string" ? value.normalize("NFKC").replace(/\s+/g, " ").trim() : value;
  return JSON.stringify(JSON.parse(JSON.stringify(input ?? {}, spaced)), inKeyOrder);
}
