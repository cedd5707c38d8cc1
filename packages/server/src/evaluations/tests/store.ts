import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import type { Transaction } from "kysely";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { AgentTestRow } from "../../db/tables/evaluations.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Takeover } from "./keep-conversation.ts";

type OfAgent = Pick<AgentTestRow, "organizationId" | "agentId">;
type Place = OfAgent & Pick<AgentTestRow, "id">;
type Columns = Partial<Pick<AgentTestRow, "name" | "turns" | "checks" | "results">>;

/** More than a conversation of people and an agent has. */
const MAX_TAKEOVERS = 1_000;

/** Why a test was not stored. */
export type Conflict = "too many" | "name";

export function createTestStore(db: Db) {
  const owned = (executor: Db | Transaction<Tables>, { organizationId, agentId }: OfAgent) =>
    executor.selectFrom("agentTests").where("organizationId", "=", organizationId).where("agentId", "=", agentId);
  const hasName = async (executor: Db | Transaction<Tables>, place: OfAgent, name: string) =>
    (await owned(executor, place).select("id").where("name", "=", name).executeTakeFirst())?.id;
  return {
    /** By name. */
    async list(agent: OfAgent, { limit, offset }: { limit: number; offset: number }): Promise<AgentTestRow[]> {
      return owned(db, agent).selectAll().orderBy("name").limit(limit).offset(offset).execute();
    },
    /** When members had the conversation. */
    async listTakeovers({ id, organizationId }: Pick<ConversationRow, "id" | "organizationId">): Promise<Takeover[]> {
      return db
        .selectFrom("handoffs")
        .select(["takenAt", "endedAt"])
        .where("conversationId", "=", id)
        .where("organizationId", "=", organizationId)
        .where("takenAt", "is not", null)
        .$narrowType<{ takenAt: number }>()
        .orderBy("requestedAt")
        .limit(MAX_TAKEOVERS)
        .execute();
    },
    async listNames(agent: OfAgent): Promise<string[]> {
      return (await owned(db, agent).select("name").execute()).map(({ name }) => name);
    },
    async count(agent: OfAgent): Promise<number> {
      const { n } = await owned(db, agent)
        .select((x) => x.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async get({ id, ...agent }: Place): Promise<AgentTestRow | undefined> {
      return owned(db, agent).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Locks the agent, so that two requests cannot both use the last free slot, or one name. */
    async insert(row: AgentTestRow): Promise<Conflict | null> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "agents", row.agentId);
        const rows = await owned(trx, row).select("name").execute();
        if (rows.length >= agentTestLimits.tests) return "too many";
        if (rows.some(({ name }) => name === row.name)) return "name";
        await trx.insertInto("agentTests").values(row).execute();
        return null;
      });
    },
    async update({ id, ...agent }: Place, changes: Columns): Promise<AgentTestRow | Conflict | undefined> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "agents", agent.agentId);
        const namesake = changes.name === undefined ? undefined : await hasName(trx, agent, changes.name);
        if (namesake !== undefined && namesake !== id) return "name";
        return trx
          .updateTable("agentTests")
          .set({ ...changes, updatedAt: Date.now() })
          .where("id", "=", id)
          .where("organizationId", "=", agent.organizationId)
          .where("agentId", "=", agent.agentId)
          .returningAll()
          .executeTakeFirst();
      });
    },
    async delete({ id, organizationId, agentId }: Place): Promise<boolean> {
      const deleted = await db
        .deleteFrom("agentTests")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .executeTakeFirst();
      return deleted.numDeletedRows > 0n;
    },
  };
}
