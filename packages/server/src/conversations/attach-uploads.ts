import type { AttachmentService } from "./attachments/service.ts";
import type { ChangeListener } from "./log/change.ts";

/** Gives uploads to the messages of a turn, or of a member. */
export function attachUploads({ attach }: Pick<AttachmentService, "attach">): ChangeListener {
  return async (trx, changes) => {
    for (const change of changes) {
      if (change.kind === "member_message") {
        const { conversationId } = change;
        for (const [position, { id }] of change.attachments.entries()) {
          await attach(trx, id, { conversationId, messageId: change.messageId, position });
        }
      }
      if (change.kind !== "turn") continue;
      const { conversationId } = change;
      for (const { id: messageId, attachments } of change.turn.messages) {
        for (const [position, { id }] of attachments.entries()) {
          await attach(trx, id, { conversationId, messageId, position });
        }
      }
    }
  };
}
