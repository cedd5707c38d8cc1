import { type CannedReply, maxCannedReplies, type ReplyActions } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { CannedReplyRow } from "../../db/tables/notes.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../errors.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { isId, newId } from "../../ids.ts";
import { checkReplyActions } from "../reply-actions.ts";
import { createCannedReplyStore } from "./store.ts";

type CannedReplyInput = Pick<CannedReply, "name" | "text"> & { actions?: ReplyActions | null };

export type CannedReplyService = ReturnType<typeof createCannedReplyService>;

/** Manages an organization's canned replies. The dashboard fills in their placeholders. */
export function createCannedReplyService({ db }: Pick<Deps, "db">) {
  const store = createCannedReplyStore(db);
  return {
    /** Yields pages, because all replies together can take several megabytes. */
    async *list(organizationId: string): AsyncGenerator<CannedReply[]> {
      for await (const rows of store.pages(organizationId)) yield rows.map(toCannedReply);
    },
    /**
     * @throws 400 when the actions name something that the organization does not have, 409 when it has too many canned
     * replies
     */
    async create(
      organizationId: string,
      { name, text, actions = null }: CannedReplyInput,
      keep?: SaveResponse,
    ): Promise<CannedReply> {
      if (actions) await checkReplyActions(db, organizationId, actions);
      const now = Date.now();
      const row: CannedReplyRow = {
        id: newId("reply"),
        organizationId,
        name: name.trim(),
        text: text.trim(),
        actions: toStoredActions(actions),
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
    /** @throws 400 when the actions name something that the organization does not have, 404 */
    async update(
      organizationId: string,
      id: string,
      { name, text, actions }: Partial<CannedReplyInput>,
    ): Promise<CannedReply> {
      if (actions) await checkReplyActions(db, organizationId, actions);
      const stored = actions === undefined ? undefined : toStoredActions(actions);
      const changes = {
        ...omitUndefined({ name: name?.trim(), text: text?.trim(), actions: stored }),
        updatedAt: Date.now(),
      };
      const row = isId("reply", id) ? await store.update(organizationId, id, changes) : undefined;
      if (!row) throw notFound("Canned reply");
      return toCannedReply(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      if (!isId("reply", id) || !(await store.delete(organizationId, id))) throw notFound("Canned reply");
    },
  };
}

function toCannedReply({ id, name, text, actions, createdAt, updatedAt }: CannedReplyRow): CannedReply {
  const iso = (at: number) => new Date(at).toISOString();
  const always = { id, name, text, createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
  return actions === null ? always : { ...always, actions: JSON.parse(actions) };
}

/** Actions that do nothing are not stored. */
function toStoredActions(actions: ReplyActions | null): string | null {
  if (!actions) return null;
  const { tagIds = [], assign, snoozeMinutes, resolve = false } = actions;
  const effective = omitUndefined({
    tagIds: tagIds.length > 0 ? tagIds : undefined,
    assign,
    snoozeMinutes,
    resolve: resolve || undefined,
  });
  return Object.keys(effective).length > 0 ? JSON.stringify(effective) : null;
}
