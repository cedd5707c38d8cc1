import { type NotNull, sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import { agentExists } from "../../db/deleted-agents.ts";
import { jsonRows, toJson } from "../../db/json-rows.ts";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import type { Deps } from "../../deps.ts";
import type { SubmissionDelivery } from "../submission-delivery.ts";

type Filter = { agentId: string | null; toolId: string | null; status: SubmissionRow["status"] };

export type FailedStore = ReturnType<typeof createFailedStore>;

/** Finds failed deliveries, except notices to owners. */
export function createFailedStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const selectFailed = compileOnce<{ json: string }, SubmissionDelivery>((param) =>
    db
      .selectFrom("deliveries")
      .selectAll()
      .$narrowType<{ submissionId: NotNull }>()
      .where("state", "=", sql.lit("failed"))
      .where("purpose", "!=", sql.lit("notice"))
      .where(
        "submissionId",
        "in",
        db.selectFrom(jsonRows<{ id: string }>(databaseKind, param("json"), { id: "text" })).select("rows.id"),
      ),
  );
  const encodeIds = (ids: readonly string[]) => toJson(ids.map((id) => ({ id })));
  return {
    /** Lists the organization's submissions with an id greater than `after`, oldest first. */
    async submissionsAfter(
      organizationId: string,
      { agentId, toolId, status }: Filter,
      { after, limit }: { after: string; limit: number },
    ) {
      return db
        .selectFrom("submissions")
        .select(["id", "toolId"])
        .where("organizationId", "=", organizationId)
        .where(agentExists("submissions"))
        .where("status", "=", status)
        .$if(agentId !== null, (query) => query.where("agentId", "=", agentId ?? ""))
        .$if(toolId !== null, (query) => query.where("toolId", "=", toolId ?? ""))
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
    },
    /** Returns the ids of those submissions that have a failed delivery. */
    async findWithFailed(submissionIds: readonly string[]): Promise<string[]> {
      const { rows } = await selectFailed(db, { json: encodeIds(submissionIds) });
      return [...new Set(rows.map(({ submissionId }) => submissionId))];
    },
    async deliveries(executor: Executor, submissionIds: readonly string[]): Promise<SubmissionDelivery[]> {
      return (await selectFailed(executor, { json: encodeIds(submissionIds) })).rows;
    },
  };
}
