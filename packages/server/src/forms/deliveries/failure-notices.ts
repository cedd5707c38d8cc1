import { sql } from "kysely";
import { selectOwners } from "../../auth/members/members.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { SubmissionRow } from "../../db/form-tables.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import type { DeliveryQueue, NewDelivery } from "../../outbox/delivery-queue.ts";

type Submission = Pick<SubmissionRow, "id" | "organizationId" | "toolId" | "agentId">;

const AT_MOST_EVERY_MS = 3_600_000;

/** Tells the account's owners by mail that something was not delivered, once an hour at most for each form. */
export function createFailureNotices({ db, mailer }: Pick<Deps, "db" | "mailer">, queue: DeliveryQueue) {
  /** True for one caller an hour. */
  async function mayTell(trx: Executor, { toolId, agentId }: Submission, now: number) {
    const claim = db
      .insertInto("failureNotices")
      .values({ toolId, agentId, sentAt: now })
      .onConflict((conflict) =>
        conflict
          .column("toolId")
          .doUpdateSet({ sentAt: now })
          .where("failureNotices.sentAt", "<=", now - AT_MOST_EVERY_MS),
      )
      .returning("toolId");
    return (await trx.executeQuery(claim.compile())).rows.length > 0;
  }

  return {
    /** Adds a mail for each owner to the queue, in the transaction that records the failure. */
    async add(trx: Executor, submission: Submission): Promise<void> {
      if (!mailer.isConfigured) return;
      const now = Date.now();
      if (!(await mayTell(trx, submission, now))) return;
      const owners = await trx.executeQuery(selectOwners(db, submission.organizationId).compile());
      const last = db
        .selectFrom("deliveries")
        .select(sql<number>`max(position)`.as("position"))
        .where("submissionId", "=", submission.id);
      const { position = 0 } = (await trx.executeQuery(last.compile())).rows[0] ?? {};
      const notices = owners.rows.map(
        ({ userId }, index) =>
          ({
            id: newId("delivery"),
            submissionId: submission.id,
            position: position + 1 + index,
            host: "mail",
            purpose: "notice",
            type: "email",
            target: JSON.stringify({ recipientIds: [userId] }),
            state: "pending",
            attempts: 0,
            attemptsBefore: 0,
            fence: 0,
            createdAt: now,
          }) satisfies NewDelivery,
      );
      await queue.insert(trx, notices, 0);
    },
  };
}

/** The mail itself, as text. */
export function failureNotice(submission: Pick<SubmissionRow, "id" | "toolName">, baseUrl: string) {
  const { id, toolName } = submission;
  const lines = [
    `A submission of the form ${toolName} could not be delivered, and no further attempt will be made by itself.`,
    "The submission is kept. See what went wrong, and deliver it again, here:",
    `${baseUrl}/dashboard/forms/submissions/${id}`,
    "You get at most one such mail an hour for each form.",
  ];
  return { subject: `A submission of ${toolName} was not delivered`, text: lines.join("\n\n") };
}
