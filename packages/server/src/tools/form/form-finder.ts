import { HOUR_MS } from "@foyer/contract/rules/time";
import type { Db } from "../../db/open.ts";
import type { ToolRow } from "../../db/tables.ts";
import { AppError, notFound } from "../../errors.ts";
import { isId } from "../../ids.ts";
import { createEditedTools, createToolStore } from "../store.ts";

export type FormFinder = ReturnType<typeof createFormFinder>;

/**
 * How long visitors can still submit a form after it was disabled, in milliseconds, because a page may still show it.
 */
const GRACE_MS = HOUR_MS;
/** How many forms of the same name are compared with the page's origin at a time. */
const PAGE_SIZE = 200;

/** Where a name is looked up. null means everywhere. */
export type FormScope = { agentId: string | null; organizationId: string | null };

/** Finds tools that are forms. Other tools are treated as missing. */
export function createFormFinder(db: Db) {
  const store = createToolStore(db);
  const edited = createEditedTools(db);
  return {
    /**
     * For visitors: returns a form that is enabled or was disabled less than an hour ago, because a page may still show
     * it.
     * @throws 404
     */
    async submittable(id: string): Promise<ToolRow> {
      const row = isId("tool", id) ? await store.getPublic(id) : undefined;
      if (row?.executionType !== "form") throw notFound("Form");
      if (row.isEnabled === 0 && Date.now() - (row.disabledAt ?? row.updatedAt) > GRACE_MS) {
        throw new AppError("NOT_FOUND", "Form not found. It was disabled more than an hour ago.");
      }
      return row;
    },
    /**
     * For visitors: an enabled form by its id, or the oldest one with this name of an agent that `mayUse` accepts, so
     * that a form that somebody adds later never replaces it. @throws 404
     */
    async enabled(
      idOrName: string,
      { agentId, organizationId }: FormScope,
      mayUse: (agent: { allowedOrigins: string }) => boolean,
    ): Promise<ToolRow> {
      if (isId("tool", idOrName) || agentId !== null) {
        const row = await store.enabledForm(isId("tool", idOrName) ? "id" : "name", idOrName, agentId);
        if (!row) throw notFound("Form");
        return row;
      }
      for (let after = ""; ; ) {
        const named = await store.enabledFormsNamed(idOrName, { organizationId, after, limit: PAGE_SIZE });
        const found = named.find(mayUse);
        const row = found && (await store.enabledForm("id", found.id, null));
        if (row) return row;
        const last = named.length === PAGE_SIZE ? named.at(-1) : undefined;
        if (!last) throw notFound("Form");
        after = last.id;
      }
    },
    /** The organization's form with this id, enabled or not, as members edit it. */
    async owned(organizationId: string, id: string): Promise<ToolRow | undefined> {
      const row = isId("tool", id) ? await edited.get(organizationId, id) : undefined;
      return row?.executionType === "form" ? row : undefined;
    },
  };
}
