import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import type { Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { AppError } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { FileTests } from "../../versions/files/file-tests.ts";
import { toColumns } from "./service.ts";

/** The tests of agents as files. */
export const fileTests: FileTests = {
  async read(db, { organizationId, agentId }) {
    const rows = await db
      .selectFrom("agentTests")
      .select(["name", "turns", "checks", "results"])
      .where("organizationId", "=", organizationId)
      .where("agentId", "=", agentId)
      // Erasing a visitor must delete what was kept from their conversations, which it could not do in files.
      .where("conversationId", "is", null)
      .execute();
    return rows
      .map(({ name, turns, checks, results }) => ({
        name,
        turns: JSON.parse(turns),
        checks: JSON.parse(checks),
        results: JSON.parse(results),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  },
  check({ name, turns, checks, results = {} }) {
    const columns = toColumns({ name, turns, checks, results });
    return { name: columns.name, turns, checks: JSON.parse(columns.checks), results };
  },
  async write(trx, { organizationId, agentId }, { removed, written }) {
    if (removed.length + written.length === 0) return;
    if (removed.length > 0) {
      await trx
        .deleteFrom("agentTests")
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("conversationId", "is", null)
        .where("name", "in", removed)
        .execute();
    }
    const now = Date.now();
    for (const test of written) {
      const content = { ...toColumns(test), conversationId: null, updatedAt: now };
      await trx
        .insertInto("agentTests")
        .values({ ...content, id: newId("test"), organizationId, agentId, createdAt: now })
        .onConflict((conflict) => conflict.columns(["agentId", "name"]).doUpdateSet(content))
        .execute();
    }
    const { n } = await trx
      .selectFrom("agentTests")
      .select((x) => x.fn.countAll<number>().as("n"))
      .where("agentId", "=", agentId)
      .executeTakeFirstOrThrow();
    if (Number(n) > agentTestLimits.tests) {
      throw new AppError("CONFLICT", `An agent has at most ${agentTestLimits.tests} tests.`);
    }
  },
};

/** Copies the tests that were written by hand to a duplicate of their agent. */
export async function copyTests(
  trx: Transaction<Tables>,
  { organizationId, from, to }: { organizationId: string; from: string; to: string },
): Promise<void> {
  const written = await fileTests.read(trx, { organizationId, agentId: from });
  await fileTests.write(trx, { organizationId, agentId: to }, { removed: [], written });
}
