import type { Trashed } from "@foyer/contract";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { deletionTime, findInTrash } from "../trash/entries.ts";
import type { ConversationRefs } from "./log/change.ts";
import type { ConversationLog } from "./log/log.ts";
import type { ConversationService } from "./service.ts";

type Parts = {
  conversations: Pick<ConversationService, "existing" | "find">;
  log: Pick<ConversationLog, "moveToTrash" | "moveAllToTrash" | "restoreFromTrash">;
  /** deletes permanently, for a server without a trash */
  deleteConversation(viewer: { organizationId: string }, id: string, options: { submissions: boolean }): Promise<void>;
};

export type ConversationTrash = ReturnType<typeof createConversationTrash>;

/** Moves conversations to the trash and restores them. */
export function createConversationTrash(deps: Pick<Deps, "db" | "config">, parts: Parts) {
  const { db, config } = deps;
  const { conversations, log, deleteConversation } = parts;
  return {
    /** @throws 404 */
    async trash(organizationId: string, id: string, trashedBy: string): Promise<Trashed> {
      await conversations.existing({ organizationId }, id);
      if (config.trashDays === 0) {
        await deleteConversation({ organizationId }, id, { submissions: false });
        return { deletesAt: null };
      }
      const trashedAt = Date.now();
      const conversation = { organizationId, conversationId: id };
      const isMoved = await inTransaction(db, (trx) => log.moveToTrash(trx, conversation, { trashedBy, trashedAt }));
      if (!isMoved) throw notFound("Conversation");
      return { deletesAt: deletionTime(config, trashedAt) };
    },
    /** Moves several conversations to the trash, or deletes them. @returns the ids of those that existed */
    async trashAll(
      { organizationId, conversationIds }: ConversationRefs,
      trashedBy: string,
    ): Promise<ReadonlySet<string>> {
      if (config.trashDays > 0) {
        const by = { trashedBy, trashedAt: Date.now() };
        return inTransaction(db, (trx) => log.moveAllToTrash(trx, { organizationId, conversationIds }, by));
      }
      const deleted = new Set<string>();
      for (const id of conversationIds) {
        if (!(await conversations.find({ organizationId }, id))) continue;
        await deleteConversation({ organizationId }, id, { submissions: false });
        deleted.add(id);
      }
      return deleted;
    },
    /** @throws 404, or 409 when its agent is in the trash */
    async restore(organizationId: string, id: string): Promise<void> {
      await findInTrash(db, { organizationId, kind: "conversation", id });
      await inTransaction(db, (trx) => log.restoreFromTrash(trx, { organizationId, conversationId: id }));
    },
  };
}
