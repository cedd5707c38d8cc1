import type { Transaction } from "kysely";
import type { AgentRow, Tables } from "../db/tables.ts";

/** The columns that are not part of a draft: a change of them applies at once. */
const atOnce: ReadonlySet<string> = new Set<keyof AgentRow>([
  "slug",
  "allowedOrigins",
  "retention",
  "monthlyTokenBudget",
  "monthlyCostBudget",
  "identitySecret",
  "publishing",
  "publishRequiresTests",
  "updatedAt",
]);

/** The agent as members edit it. */
export function withDraft(row: AgentRow): AgentRow {
  return row.draft === "{}" ? row : { ...row, ...JSON.parse(row.draft) };
}

/** Changes a locked agent: its draft if it has one, and otherwise what visitors get. */
export async function writeColumns(
  trx: Transaction<Tables>,
  { organizationId, id, publishing, draft }: Pick<AgentRow, "organizationId" | "id" | "publishing" | "draft">,
  changes: Partial<AgentRow>,
): Promise<void> {
  const isLive = ([name]: [string, unknown]) => publishing === "immediate" || atOnce.has(name);
  const entries = Object.entries(changes);
  const drafted = Object.fromEntries(entries.filter((entry) => !isLive(entry)));
  await trx
    .updateTable("agents")
    .set({ ...Object.fromEntries(entries.filter(isLive)), draft: JSON.stringify({ ...JSON.parse(draft), ...drafted }) })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .execute();
}
