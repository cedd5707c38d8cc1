import { createHash } from "node:crypto";
import type { FormConfirmation } from "@foyer/contract";
import { sql } from "kysely";
import { compileOnce } from "../../db/compiled-query.ts";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { isMailAddress, normalizeAddress } from "../../outbound/smtp-address.ts";
import { toUtcDay } from "../../utc-day.ts";

/** A confirmation email to a visitor: the address, and the subject and message from the form. */
export type Confirmation = Pick<FormConfirmation, "subject" | "message"> & { address: string };

export type Confirmations = ReturnType<typeof createConfirmations>;

/**
 * Decides whether a submission is confirmed to the visitor by email. Anyone can enter someone else's address, so the
 * number of confirmations per address and per form is limited each day (UTC). Above a limit, the submission is stored
 * and no confirmation is sent.
 */
export function createConfirmations({ db, config }: Pick<Deps, "db" | "config">) {
  const { confirmationsPerAddress, confirmationsPerForm } = config.limits;
  const claim = compileOnce<{ key: string; day: string; limit: number }, { sent: number }>((param) =>
    db
      .insertInto("confirmationDays")
      .values({ key: param("key"), day: param("day"), sent: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(["key", "day"])
          .doUpdateSet({ sent: sql`"confirmationDays".sent + 1` })
          .where("confirmationDays.sent", "<", param("limit")),
      )
      .returning("sent"),
  );

  async function claimSlot(limit: number, key: string): Promise<boolean> {
    if (limit === 0) return true;
    return (await claim(db, { key, day: toUtcDay(Date.now()), limit })).rows.length > 0;
  }

  return {
    /**
     * Returns the confirmation to send, or null.
     * @param formData valid data, so that an email field contains a valid address
     */
    async prepare(tool: ToolRow, formData: Record<string, unknown>): Promise<Confirmation | null> {
      if (!tool.formConfirmation) return null;
      const { emailField, subject, message }: FormConfirmation = JSON.parse(tool.formConfirmation);
      const input = formData[emailField];
      const address = typeof input === "string" ? normalizeAddress(input) : "";
      if (!isMailAddress(address)) return null;
      const addressKey = createHash("sha256").update(address).digest("hex");
      const isAllowed =
        (await claimSlot(confirmationsPerAddress, addressKey)) && (await claimSlot(confirmationsPerForm, tool.id));
      return isAllowed ? { address, subject, message } : null;
    },
  };
}
