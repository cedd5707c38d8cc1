import { createHash } from "node:crypto";
import type { FormConfirmation } from "@foyer/contract";
import { sql } from "kysely";
import { compileOnce } from "../../db/compiled-query.ts";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { isMailAddress, normalizeAddress } from "../../outbound/smtp-address.ts";
import { dayOf } from "../../utc-day.ts";

/** A mail to a visitor: its address, and what the form says in it. */
export type Confirmation = Pick<FormConfirmation, "subject" | "message"> & { address: string };

export type Confirmations = ReturnType<typeof createConfirmations>;

/**
 * Decides whether a submission is confirmed to the visitor by mail. Anybody can enter anybody's address, so each address
 * and each form has a limit of mails a day (UTC); beyond it a submission is kept without a confirmation.
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

  async function isWithin(limit: number, key: string): Promise<boolean> {
    if (limit === 0) return true;
    return (await claim(db, { key, day: dayOf(Date.now()), limit })).rows.length > 0;
  }

  return {
    /** @param formData checked, so that an address in it has the form of one */
    async of(tool: ToolRow, formData: Record<string, unknown>): Promise<Confirmation | null> {
      if (!tool.formConfirmation) return null;
      const { emailField, subject, message }: FormConfirmation = JSON.parse(tool.formConfirmation);
      const given = formData[emailField];
      const address = typeof given === "string" ? normalizeAddress(given) : "";
      if (!isMailAddress(address)) return null;
      const addressKey = createHash("sha256").update(address).digest("hex");
      const isAllowed =
        (await isWithin(confirmationsPerAddress, addressKey)) && (await isWithin(confirmationsPerForm, tool.id));
      return isAllowed ? { address, subject, message } : null;
    },
  };
}
