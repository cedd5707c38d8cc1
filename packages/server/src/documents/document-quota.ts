import type { Db } from "../db/open.ts";
import { AppError } from "../errors.ts";
import { addBytesToday, DOCUMENTS, dailyQuotaError, readBytesToday, readDocumentBytes } from "../plans/byte-quota.ts";
import { readLimits } from "../plans/plan-limits.ts";

/**
 * Checks that an organization may store `bytes` more of originals by its plan: in total, and today (UTC).
 * @throws 403 or 429
 */
export async function checkDocumentBytes(db: Db, organizationId: string, bytes: number): Promise<void> {
  const organization = await db
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  const plan = organization?.plan ?? "";
  const { documentBytes, documentBytesPerDay } = readLimits(plan);
  if (documentBytesPerDay !== null) {
    const today = await readBytesToday(db, { organizationId, subject: DOCUMENTS });
    if (today + bytes > documentBytesPerDay) {
      throw dailyQuotaError(`The plan ${plan} allows ${formatMegabytes(documentBytesPerDay)} of new documents a day.`);
    }
  }
  if (documentBytes === null) return;
  if ((await readDocumentBytes(db, organizationId)) + bytes <= documentBytes) return;
  throw new AppError(
    "DOCUMENT_LIMIT_REACHED",
    `The plan ${plan} allows ${formatMegabytes(documentBytes)} of documents. Delete some, or choose a larger plan.`,
  );
}

/** Call it in the transaction that stores the original. */
export async function countDocumentBytes(trx: Db, organizationId: string, bytes: number): Promise<void> {
  if (bytes > 0) await addBytesToday(trx, { organizationId, subject: DOCUMENTS }, bytes);
}

const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toLocaleString("en")} MB`;
