import type { SentCall, ToolPiece } from "../../conversations/message-pieces.ts";
import { toSafeNumbers } from "../../exact-json.ts";
import { parseToolInput } from "./tool-input.ts";

/**
 * What the model's messages contain of a call, where that differs from what is stored and shown. `note` is added to its
 * result.
 */
export function describeSent(
  call: { toolCallId: string; input: string },
  piece: Pick<ToolPiece, "id" | "input">,
  { step, note }: { step: number; note: string | null },
): SentCall {
  const input = toSafeNumbers(parseToolInput(call.input));
  const hasOtherInput = input !== undefined && JSON.stringify(input) !== JSON.stringify(piece.input);
  return {
    step,
    ...(piece.id === call.toolCallId ? {} : { id: call.toolCallId }),
    ...(hasOtherInput ? { input } : {}),
    ...(note === null ? {} : { note: `\n\n[${note}]` }),
  };
}
