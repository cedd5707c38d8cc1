import { type CannedReply, maxCannedReplies } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { CannedReplyRow } from "../../db/tables/notes.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../errors.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { isId, newId } from "../../ids.ts";
import { createCannedReplyStore } from "./store.ts";

type CannedReplyInput = Pick<CannedReply, "name" | "text">;

export type CannedReplyService = ReturnType<typeof createCannedReplyService>;

/** Manages an organization's canned replies. The dashboard fills in their placeholders. */
export function createCannedReplyService({ db }: Pick<Deps, "db">) {
  const store = createCannedReplyStore(db);
  return {
    /** Yields pages, because all replies together can take several megabytes. */
    async *list(organizationId: string): AsyncGenerator<CannedReply[]> {
      for await (const rows of store.pages(organizationId)) yield rows.map(toCannedReply);
    },
    /** @throws 409 when the organization has too many canned replies */
    async create(organizationId: string, { name, text }: CannedReplyInput, keep?: SaveResponse): Promise<CannedReply> {
      const now = Date.now();
      const row: CannedReplyRow = {
        id: newId("reply"),
        organizationId,
        name: name.trim(),
        text: text.trim(),
        createdAt: now,
        updatedAt: now,
      };
      const created = toCannedReply(row);
      if (!(await store.insert(row, async (trx) => keep?.(trx, null, created)))) {
        const message = `Your organization has ${maxCannedReplies} canned replies. Delete one before you create another.`;
        throw new AppError("CONFLICT", message);
      }
      return created;
    },
    async update(organizationId: string, id: string, { name, text }: Partial<CannedReplyInput>): Promise<CannedReply> {
      const changes = { ...omitUndefined({ name: name?.trim(), text: text?.trim() }), updatedAt: Date.now() };
      const row = isId("reply", id) ? await store.update(organizationId, id, changes) : undefined;
      if (!row) throw notFound("Canned reply");
      return toCannedReply(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      if (!isId("reply", id) || !(await store.delete(organizationId, id))) throw notFound("Canned reply");
    },
  };
}

function toCannedReply({ id, name, text, createdAt, updatedAt }: CannedReplyRow): CannedReply {
  const iso = (at: number) => new Date(at).toISOString();
  return { id, name, text, createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
}
