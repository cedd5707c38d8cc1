import { type RawBuilder, sql } from "kysely";

/** The size of an event with its deliveries and the receivers' responses, in a query of `events`. */
export const eventBytes = sql<number>`1024 + octet_length(events.data)
  + coalesce((select sum(coalesce(octet_length(response), 0)) from deliveries
      join "deliveryAttempts" on "deliveryAttempts"."deliveryId" = deliveries.id
      where deliveries."eventId" = events.id), 0)`;

/** The size of the events that are deleted with a conversation or a submission. @param id the column with its id */
export function sumEventBytes(reference: "conversationId" | "submissionId", id: string): RawBuilder<number> {
  const condition = sql`events.${sql.ref(reference)} = ${sql.ref(id)}`;
  return sql<number>`coalesce((select sum(${eventBytes}) from events where ${condition}), 0)`;
}
