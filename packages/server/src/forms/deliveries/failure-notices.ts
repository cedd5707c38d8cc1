import { HOUR_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { selectOwners } from "../../auth/members/members.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import type { DeliveryQueue, NewDelivery } from "../../outbox/delivery-queue.ts";
import { MAIL_HOST } from "../../outbox/host-of.ts";
import { deliveryDefaults } from "../submission-delivery.ts";

type Submission = Pick<SubmissionRow, "id" | "organizationId" | "toolId" | "agentId">;

const MIN_INTERVAL_MS = HOUR_MS;

/** Emails the organization's owners about a failed delivery, at most once an hour per form. */
export function createFailureNotices({ db, mailer }: Pick<Deps, "db" | "mailer">, queue: DeliveryQueue) {
  /** Claims the next notice for this form. Returns true for only one caller within an hour. */
  async function claimNotice(trx: Executor, { toolId, agentId }: Submission, now: number) {
    const claim = db
      .insertInto("failureNotices")
      .values({ toolId, agentId, sentAt: now })
      .onConflict((conflict) =>
        conflict
          .column("toolId")
          .doUpdateSet({ sentAt: now })
          .where("failureNotices.sentAt", "<=", now - MIN_INTERVAL_MS),
      )
      .returning("toolId");
    return (await trx.executeQuery(claim.compile())).rows.length > 0;
  }

  return {
    /** Enqueues an email to each owner in the transaction that records the failure. */
    async add(trx: Executor, submission: Submission): Promise<void> {
      if (!mailer.isConfigured) return;
      const now = Date.now();
      if (!(await claimNotice(trx, submission, now))) return;
      const owners = await trx.executeQuery(selectOwners(db, submission.organizationId).compile());
      const maxPosition = db
        .selectFrom("deliveries")
        .select(sql<number>`max(position)`.as("position"))
        .where("submissionId", "=", submission.id);
      const { position = 0 } = (await trx.executeQuery(maxPosition.compile())).rows[0] ?? {};
      const notices = owners.rows.map(
        ({ userId }, index) =>
          ({
            ...deliveryDefaults,
            id: newId("delivery"),
            organizationId: submission.organizationId,
            submissionId: submission.id,
            position: position + 1 + index,
            host: MAIL_HOST,
            purpose: "notice",
            type: "email",
            target: JSON.stringify({ recipientIds: [userId] }),
            state: "pending",
            createdAt: now,
          }) satisfies NewDelivery,
      );
      await queue.insert(trx, notices, 0);
    },
  };
}

export function createFailureNotice(
  { id, toolName }: Pick<SubmissionRow, "id" | "toolName">,
  baseUrl: string,
): MailContent {
  return {
    subject: `Delivery failed: submission of ${toolName}`,
    parts: [
      `A submission of the form ${toolName} could not be delivered. Foyer has stopped retrying it.`,
      "The submission is stored. You can see what went wrong and retry the delivery.",
      { type: "link", label: "Open the submission:", url: `${baseUrl}/dashboard/forms/submissions/${id}` },
      { type: "footer", text: "You receive at most one of these emails per form and hour." },
    ],
  };
}
