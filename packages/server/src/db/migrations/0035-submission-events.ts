import { type Kysely, sql } from "kysely";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/**
 * Events refer to the submission that they report, and are deleted with it. Events about submissions that no longer
 * exist are deleted. An index finds the submissions of a user.
 */
export async function submissionEvents(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .alterTable("events")
    .addColumn("submissionId", "text", (c) => c.references("submissions.id").onDelete("cascade"))
    .execute();
  const reported =
    kind === "sqlite" ? sql<string>`data ->> 'submissionId'` : sql<string>`data::json ->> 'submissionId'`;
  const types = ["form.submitted", "form.delivery_failed"] as const;
  await db
    .updateTable("events")
    .set({ submissionId: reported })
    .where("type", "in", types)
    .where(reported, "in", db.selectFrom("submissions").select("id"))
    .execute();
  await db.deleteFrom("events").where("type", "in", types).where("submissionId", "is", null).execute();
  await db.schema
    .createIndex("eventsSubmission")
    .on("events")
    .column("submissionId")
    .where("submissionId", "is not", null)
    .execute();
  await db.schema
    .createIndex("submissionsUser")
    .on("submissions")
    .columns(["organizationId", "userId", "id"])
    .where("userId", "is not", null)
    .execute();
}
