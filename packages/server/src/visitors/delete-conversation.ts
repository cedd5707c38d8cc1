import type { ConversationLog } from "../conversations/log/log.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Viewer } from "../conversations/store.ts";
import type { Checkpoint } from "../db/sqlite/checkpoint.ts";
import { notFound } from "../errors.ts";
import type { VisitorService } from "./service.ts";

type Parts = {
  conversations: Pick<ConversationService, "existing">;
  visitors: Pick<VisitorService, "prepareDeletion">;
  log: Pick<ConversationLog, "delete">;
  checkpoint: Pick<Checkpoint, "run">;
};

/** @returns a function that deletes one conversation, with `submissions` also the form submissions made in it */
export function createConversationDeletion({ conversations, visitors, log, checkpoint }: Parts) {
  return async (viewer: Viewer, id: string, { submissions }: { submissions: boolean }): Promise<void> => {
    const conversation = await conversations.existing(viewer, id);
    const { organizationId } = conversation;
    await visitors.prepareDeletion({ organizationId, id, submissions, isVisitor: !("organizationId" in viewer) });
    if (!(await log.delete(conversation))) throw notFound("Conversation");
    void checkpoint.run();
  };
}
