import type { ConversationLog } from "../conversations/log/log.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Viewer } from "../conversations/store.ts";
import type { Checkpoint } from "../db/sqlite/checkpoint.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import type { VisitorService } from "./service.ts";

type Parts = {
  conversations: Pick<ConversationService, "existing">;
  visitors: Pick<VisitorService, "prepareDeletion">;
  log: Pick<ConversationLog, "delete">;
  checkpoint: Pick<Checkpoint, "run">;
};

/** Deletes single conversations permanently. */
export function createConversationDeletion({ db }: Pick<Deps, "db">, parts: Parts) {
  const { conversations, visitors, log, checkpoint } = parts;
  return {
    /** @param submissions whether the form submissions made in the conversation are deleted as well */
    async delete(viewer: Viewer, id: string, { submissions }: { submissions: boolean }): Promise<void> {
      const conversation = await conversations.existing(viewer, id);
      const { organizationId } = conversation;
      await visitors.prepareDeletion({ organizationId, id, submissions, isVisitor: !("organizationId" in viewer) });
      if (!(await log.delete(conversation))) throw notFound("Conversation");
      void checkpoint.run();
    },
    /** Deletes a conversation that is in the trash. Without effect when it was deleted in the meantime. */
    async purge({ organizationId, id }: { organizationId: string; id: string }): Promise<void> {
      const conversation = await db
        .selectFrom("conversations")
        .select(["id", "organizationId", "textBytes", "toolBytes"])
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("trashedAt", "is not", null)
        .executeTakeFirst();
      if (!conversation) return;
      await visitors.prepareDeletion({ organizationId, id, submissions: false, isVisitor: false });
      await log.delete(conversation);
      void checkpoint.run();
    },
  };
}
