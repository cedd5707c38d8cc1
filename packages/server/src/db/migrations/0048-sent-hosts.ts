import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The receivers of a conversation's or a submission's data, for receipts after their deliveries were deleted. */
export async function sentHosts(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("sentHosts")
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .addColumn("submissionId", "text", (c) => c.references("submissions.id").onDelete("cascade"))
    .addColumn("host", "text", (c) => c.notNull())
    .addUniqueConstraint("sentHostsConversation", ["conversationId", "host"])
    .addUniqueConstraint("sentHostsSubmission", ["submissionId", "host"])
    .execute();
}
