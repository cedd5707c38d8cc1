import type { Transaction } from "kysely";
import { lockRow } from "../db/lock-row.ts";
import type { Tables } from "../db/tables.ts";

type JobTable = "replays" | "agentTestRuns";

/** Whether the organization may start another job. Locks it, so that two requests cannot both use the last place. */
export async function hasFreeSlot(
  trx: Transaction<Tables>,
  table: JobTable,
  { organizationId, max }: { organizationId: string; max: number },
): Promise<boolean> {
  await lockRow(trx, "organizations", organizationId);
  const { n } = await trx
    .selectFrom(table)
    .select((x) => x.fn.countAll<number>().as("n"))
    .where("organizationId", "=", organizationId)
    .where("status", "=", "running")
    .executeTakeFirstOrThrow();
  return Number(n) < max;
}

/** Deletes the oldest ended jobs of an agent. */
export async function deleteOldJobs(
  trx: Transaction<Tables>,
  table: JobTable,
  { agentId, kept }: { agentId: string; kept: number },
): Promise<void> {
  const old = trx
    .selectFrom(table)
    .select("id")
    .where("agentId", "=", agentId)
    .where("status", "<>", "running")
    .orderBy("id", "desc")
    .limit(1_000)
    .offset(kept);
  const ids = (await old.execute()).map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom(table).where("id", "in", ids).execute();
}
