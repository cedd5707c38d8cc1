import type { Db } from "../db/open.ts";
import { beforeCommit, runsAfterCommit } from "../db/transaction.ts";
import { addBytesToday, dailyQuotaError, readBytesToday } from "./byte-quota.ts";

/** The subject of the responses that are stored for the Idempotency-Keys of an organization. */
const RESPONSES = "responses";

/**
 * Creates a function that counts a stored response against the organization of the caller or, for a visitor, of the agent.
 * @param maxBytesPerDay of an organization's stored responses per UTC day; 0 allows any number
 */
export function createResponseQuota(maxBytesPerDay: number) {
  /** @throws 429 when the organization has stored its bytes of the day */
  return async (
    trx: Db,
    owner: { organizationId: string | null; agentId: string | null },
    bytes: number,
  ): Promise<void> => {
    if (maxBytesPerDay === 0) return;
    const organizationId = owner.organizationId ?? (await findOrganization(trx, owner.agentId));
    if (organizationId === null) return;
    const day = { organizationId, subject: RESPONSES };
    if ((await readBytesToday(trx, day)) + bytes > maxBytesPerDay) {
      throw dailyQuotaError("Your organization cannot store more responses for Idempotency-Keys today.");
    }
    const add = () => addBytesToday(trx, day, bytes);
    if (runsAfterCommit(trx)) beforeCommit(trx, `byteDays ${organizationId} ${RESPONSES}`, add);
    else await add();
  };
}

async function findOrganization(db: Db, agentId: string | null): Promise<string | null> {
  if (agentId === null) return null;
  const agents = db.selectFrom("agents").select("organizationId").where("id", "=", agentId);
  return (await agents.executeTakeFirst())?.organizationId ?? null;
}
