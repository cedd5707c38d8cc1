import type { Db } from "../db/open.ts";
import type { ToolRow } from "../db/tables.ts";
import { notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import { createToolStore } from "./tool-store.ts";

export type FormFinder = ReturnType<typeof createFormFinder>;

/** Finds tools that are forms; any other tool is as if it were not there. */
export function createFormFinder(db: Db) {
  const store = createToolStore(db);
  return {
    /** For visitors: a form that may be submitted, disabled or not, because it may be open on a page. 404 */
    async submittable(id: string): Promise<ToolRow> {
      const row = isId("tool", id) ? await store.getPublic(id) : undefined;
      if (row?.executionType !== "form") throw notFound("Form");
      return row;
    },
    /** For visitors: an enabled form by its id or name, of this agent or (null) of any. 404 */
    async enabled(idOrName: string, agentId: string | null): Promise<ToolRow> {
      const row = await store.enabledForm(isId("tool", idOrName) ? "id" : "name", idOrName, agentId);
      if (!row) throw notFound("Form");
      return row;
    },
    /** The account's form with this id, enabled or not. */
    async owned(organizationId: string, id: string): Promise<ToolRow | undefined> {
      const row = isId("tool", id) ? await store.get(organizationId, id) : undefined;
      return row?.executionType === "form" ? row : undefined;
    },
  };
}
