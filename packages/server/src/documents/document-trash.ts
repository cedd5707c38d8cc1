import type { Trashed } from "@foyer/contract";
import { isDuplicate } from "../db/database-errors.ts";
import type { DocumentRow } from "../db/tables/documents.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { deletionTime, findInTrash, putIntoTrash, takeFromTrash } from "../trash/entries.ts";
import { type DocumentWriter, limitReached } from "./document-writer.ts";
import { setSearchable } from "./search/passage-index.ts";
import type { DocumentStore, Trx } from "./store.ts";

/** What the row of a document in the trash does not have, so that it is neither found nor in another one's way. */
type Kept = Pick<DocumentRow, "sourceId" | "externalKey" | "uniqueContent" | "isEnabled"> & {
  /** the address at which its site has the page */
  pageUrl: string | null;
};

type Place = { organizationId: string; id: string };

export type DocumentTrash = ReturnType<typeof createDocumentTrash>;

/** Moves documents to the trash and restores them. Their passages stay in the index, where no search finds them. */
export function createDocumentTrash(
  { db, config }: Pick<Deps, "db" | "config">,
  { store, writer }: { store: DocumentStore; writer: Pick<DocumentWriter, "delete"> },
) {
  /** @throws 404 */
  async function trash({ organizationId, id }: Place, trashedBy: string): Promise<Trashed> {
    const row = await store.get(organizationId, id);
    if (!row) throw notFound("Document");
    if (config.trashDays === 0) {
      await writer.delete(organizationId, [row]);
      return { deletesAt: null };
    }
    const trashedAt = Date.now();
    await store.inTransaction((trx) => hide(trx, { organizationId, id }, { trashedBy, trashedAt }));
    return { deletesAt: deletionTime(config, trashedAt) };
  }

  return {
    trash,
    /** Moves the documents that exist. @returns the number of moved documents */
    async trashAll(organizationId: string, ids: readonly string[], trashedBy: string): Promise<number> {
      let moved = 0;
      for (const id of new Set(ids)) {
        if (!isId("doc", id)) continue;
        try {
          await trash({ organizationId, id }, trashedBy);
          moved++;
        } catch (error) {
          if (!(error instanceof AppError && error.status === 404)) throw error;
        }
      }
      return moved;
    },
    /** @throws 404, 403 by the plan, or 409 when its agent is in the trash or another document has its place */
    async restore({ organizationId, id }: Place, plan: string): Promise<void> {
      const { agentId } = await findInTrash(db, { organizationId, kind: "document", id });
      const { documentsPerAgent } = readLimits(plan);
      await store
        .inTransaction(async (trx) => {
          await store.lockAgent(trx, agentId);
          const count = await store.countWithin(trx, { organizationId, agentId });
          if (documentsPerAgent !== null && count >= documentsPerAgent) throw limitReached(plan, documentsPerAgent);
          await show(trx, { organizationId, id, agentId });
        })
        .catch((error: unknown) => {
          if (!isDuplicate(error)) throw error;
          throw new AppError(
            "CONFLICT",
            "Another document of this agent has the same content or external key. Delete it first.",
          );
        });
    },
  };

  /** @throws 404 when another request was faster */
  async function hide(trx: Trx, { organizationId, id }: Place, by: { trashedBy: string; trashedAt: number }) {
    const [row] = await trx
      .updateTable("documents")
      .set({ trashedAt: by.trashedAt })
      .where("id", "=", id)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .returningAll()
      .execute();
    if (!row) throw notFound("Document");
    const { agentId, sourceId, externalKey, uniqueContent, isEnabled } = row;
    const page = await trx
      .updateTable("sourcePages")
      .set({ documentId: null })
      .where("documentId", "=", id)
      .returning("url")
      .executeTakeFirst();
    await trx
      .updateTable("documents")
      .set({ sourceId: null, externalKey: null, uniqueContent: null, isEnabled: 0 })
      .where("id", "=", id)
      .where("organizationId", "=", organizationId)
      .execute();
    await setSearchable(trx, { organizationId, agentId, documentIds: [id], isEnabled: false });
    const kept: Kept = { sourceId, externalKey, uniqueContent, isEnabled, pageUrl: page?.url ?? null };
    const content = JSON.stringify(kept);
    await putIntoTrash(trx, [{ id, organizationId, agentId, kind: "document", name: null, content, ...by }]);
  }
}

async function show(trx: Trx, { organizationId, id, agentId }: Place & { agentId: string }): Promise<void> {
  // The document is locked before its entry, as its permanent deletion does.
  await trx
    .updateTable("documents")
    .set({ trashedAt: null })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .execute();
  const { content } = await takeFromTrash(trx, { organizationId, kind: "document", id });
  const { pageUrl, sourceId, ...kept } = JSON.parse(content ?? "{}") as Kept;
  const isOfSite = sourceId !== null && pageUrl !== null && (await takePage(trx, { sourceId, url: pageUrl }, id));
  await trx
    .updateTable("documents")
    .set({ ...kept, sourceId: isOfSite ? sourceId : null, updatedAt: Date.now() })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .execute();
  if (kept.isEnabled === 1) {
    await setSearchable(trx, { organizationId, agentId, documentIds: [id], isEnabled: true });
  }
}

/**
 * Makes the document that of its page again. A document whose site or page was deleted is restored on its own.
 * @throws 409 when the site has read the page into another document
 */
async function takePage(trx: Trx, { sourceId, url }: { sourceId: string; url: string }, id: string): Promise<boolean> {
  const page = await trx
    .selectFrom("sourcePages")
    .innerJoin("sources", "sources.id", "sourcePages.sourceId")
    .select("documentId")
    .where("sourceId", "=", sourceId)
    .where("sourcePages.url", "=", url)
    .where("sources.state", "<>", "deleting")
    .executeTakeFirst();
  if (!page) return false;
  if (page.documentId !== null) {
    throw new AppError("CONFLICT", "Its site has read this page again since. Delete that document first.");
  }
  await trx
    .updateTable("sourcePages")
    .set({ documentId: id })
    .where("sourceId", "=", sourceId)
    .where("url", "=", url)
    .execute();
  return true;
}
