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
/** The maximum number of forms with the same name whose agents are compared with the page's origin. */
const MAX_SAME_NAME = 200;

/** Whether an agent's `allowedOrigins` (JSON) include the page's origin. */
type OriginMatch = (allowedOrigins: string) => boolean;

/** A page must never show another organization's form, so a name without an agent has to be unambiguous. */
function requireSingleForm(
  name: string,
  rows: Array<ToolRow & { allowedOrigins: string }>,
  isAllowed: OriginMatch,
): ToolRow {
  const candidates = rows.length > 1 ? rows.filter(({ allowedOrigins }) => isAllowed(allowedOrigins)) : rows;
  const [found, ...others] = candidates;
  if (rows.length === 0) throw notFound("Form");
  if (!found || others.length > 0 || rows.length === MAX_SAME_NAME) {
    throw new AppError("NOT_FOUND", `Several agents have a form named ${name}. Pass agentId to choose one.`);
  }
  const { allowedOrigins: _, ...tool } = found;
  return tool;
}

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
    /** For visitors: an enabled form by its id, or by its name among the agent's forms. @throws 404 */
    async enabled(idOrName: string, agentId: string | null, isAllowed: OriginMatch): Promise<ToolRow> {
      if (isId("tool", idOrName) || agentId !== null) {
        const row = await store.enabledForm(isId("tool", idOrName) ? "id" : "name", idOrName, agentId);
        if (!row) throw notFound("Form");
        return row;
      }
      return requireSingleForm(idOrName, await store.enabledFormsNamed(idOrName, MAX_SAME_NAME), isAllowed);
    },
    /** The organization's form with this id, enabled or not, as members edit it. */
    async owned(organizationId: string, id: string): Promise<ToolRow | undefined> {
      const row = isId("tool", id) ? await edited.get(organizationId, id) : undefined;
      return row?.executionType === "form" ? row : undefined;
    },
  };
}
