import {
  type ErasureReceipt,
  maxErasedIds,
  type VisitorCounts,
  type VisitorData,
  visitorDataKinds,
} from "@foyer/contract";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { Checkpoint } from "../db/sqlite/checkpoint.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import type { NewEvent, RecordEvents } from "../events/record-events.ts";
import { deleteSubmissionsById } from "../forms/retention.ts";
import { deleteResponsesAbout } from "../http/idempotency.ts";
import { newId } from "../ids.ts";
import type { Batch } from "./batch.ts";
import { eraseBatch } from "./erase-batch.ts";
import { createFindVisitor } from "./find-visitor.ts";
import { hashOf, type Identifier } from "./identifier.ts";
import { insertReceipt, recordErasure } from "./ledger.ts";
import { createVisitorStore } from "./store.ts";
import { deleteNotesAbout, deleteOrphanedNotes, peopleNamedBy, readNotesAbout } from "./visitor-notes.ts";

type Parts = {
  log: Pick<ConversationLog, "erase">;
  checkpoint: Pick<Checkpoint, "run">;
  recordEvents: RecordEvents;
};

/** `isVisitor` means that a visitor deletes the conversation with its token. */
type ConversationDeletion = { organizationId: string; id: string; submissions: boolean; isVisitor: boolean };

export type VisitorService = ReturnType<typeof createVisitorService>;

/** Reports how much is stored about a visitor, and erases it. */
export function createVisitorService(
  deps: Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">,
  { log, checkpoint, recordEvents }: Parts,
) {
  const { db, encryption } = deps;
  const store = createVisitorStore(deps);
  const find = createFindVisitor(store, encryption);

  /** Adds the batch to the totals. */
  async function measure(organizationId: string, batch: Batch, total: Totals): Promise<void> {
    const counts = {
      ...(await store.counts(organizationId, batch)),
      conversations: batch.conversations.length,
      submissions: batch.submissionIds.length,
    };
    for (const kind of visitorDataKinds) total.counts[kind] += counts[kind];
    for (const receiver of await store.receiversOf(organizationId, batch)) total.receivers.add(receiver);
  }

  return {
    find,
    async data(organizationId: string, identifier: Identifier): Promise<VisitorData> {
      const total = emptyTotals();
      for await (const batch of find(organizationId, identifier)) await measure(organizationId, batch, total);
      total.counts.notes += (await readNotesAbout(db, organizationId, peopleNamedBy(identifier))).length;
      return { counts: total.counts, receivers: [...total.receivers].sort() };
    },
    /**
     * Erases everything that is stored about the visitor and stores a receipt. It can be interrupted: calling it again
     * erases the rest.
     */
    async erase(
      organizationId: string,
      identifier: Identifier,
      { until, isReceiptKept = true }: { until?: number; isReceiptKept?: boolean } = {},
    ): Promise<ErasureReceipt> {
      const identifierHash = hashOf(encryption, organizationId, identifier);
      const erasedAt = until ?? Date.now();
      await recordErasure(db, { organizationId, kind: identifier.kind, hash: identifierHash, erasedAt });
      const total = emptyTotals();
      const erased = { conversationIds: new Set<string>(), submissionIds: new Set<string>() };
      const people = peopleNamedBy(identifier);
      total.counts.notes += (await readNotesAbout(db, organizationId, people)).length;
      for await (const batch of find(organizationId, identifier, until)) {
        await measure(organizationId, batch, total);
        await eraseBatch(deps, log, { organizationId, batch });
        for (const id of batch.submissionIds) erased.submissionIds.add(id);
        for (const { id } of batch.conversations) erased.conversationIds.add(id);
      }
      await deleteNotesAbout(db, organizationId, people);
      await deleteOrphanedNotes(db, organizationId);
      await deleteResponsesAbout(db, organizationId, erased.submissionIds.union(erased.conversationIds));
      const id = newId("erasure");
      const receivers = [...total.receivers].sort();
      if (isReceiptKept) {
        await inTransaction(db, async (trx) => {
          await insertReceipt(trx, {
            id,
            organizationId,
            erasedAt,
            identifierHash,
            counts: JSON.stringify(total.counts),
            receivers: JSON.stringify(receivers),
          });
          await recordEvents(trx, [
            erasedEvent(organizationId, { id, erasedAt, identifierHash, counts: total.counts, ...erased }),
          ]);
        });
      }
      await checkpoint.run();
      return { id, erasedAt: new Date(erasedAt).toISOString(), counts: total.counts, identifierHash, receivers };
    },
    /**
     * Prepares the deletion of one conversation: records it for restored backups and deletes its submissions on
     * request.
     */
    async prepareDeletion({ organizationId, id, submissions, isVisitor }: ConversationDeletion): Promise<void> {
      const kind = submissions ? "conversationId" : "conversation";
      const hash = hashOf(encryption, organizationId, { kind, value: id });
      await recordErasure(db, { organizationId, kind, hash, erasedAt: Date.now() });
      if (!submissions) return;
      for await (const page of store.submissionsIn(
        organizationId,
        { conversationIds: [id] },
        { isProven: isVisitor },
      )) {
        await deleteSubmissionsById(db, organizationId, page);
      }
    },
    hashOf: (organizationId: string, identifier: Identifier) => hashOf(encryption, organizationId, identifier),
  };
}

type Totals = { counts: VisitorCounts; receivers: Set<string> };

function emptyTotals(): Totals {
  const counts = Object.fromEntries(visitorDataKinds.map((kind) => [kind, 0])) as VisitorCounts;
  return { counts, receivers: new Set() };
}

type Erased = {
  id: string;
  erasedAt: number;
  identifierHash: string;
  counts: VisitorCounts;
  conversationIds: ReadonlySet<string>;
  submissionIds: ReadonlySet<string>;
};

/**
 * Tells the receivers of the visitor's data to erase it as well. The ids are the only identifiers that they share with
 * Foyer: they cannot compute the hash, which is keyed.
 */
function erasedEvent(organizationId: string, erased: Erased): NewEvent {
  const { id, erasedAt, identifierHash, counts, conversationIds, submissionIds } = erased;
  return {
    type: "visitor.erased",
    organizationId,
    agentId: null,
    conversationId: null,
    data: () => ({
      erasureId: id,
      erasedAt: new Date(erasedAt).toISOString(),
      identifierHash,
      counts,
      conversationIds: [...conversationIds].slice(0, maxErasedIds),
      submissionIds: [...submissionIds].slice(0, maxErasedIds),
    }),
  };
}
