import type { ProviderFailures } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { agentExists, isOutsideTrash } from "../db/deleted-agents.ts";
import type { ReplyFailureRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";

/** The maximum that is counted. If there are more failures, this number is reported. */
const MAX_COUNTED = 1_000;

export type ReplyFailures = ReturnType<typeof createReplyFailures>;

/** Failed replies, for the dashboard's banner and the doctor. */
export function createReplyFailures({ db, reads, models }: Pick<Deps, "db" | "reads" | "models">) {
  const since = () => Date.now() - DAY_MS;

  async function countFailures(organizationId: string) {
    const lately = db
      .selectFrom("replyFailures")
      .select(["provider", "at", "isAnswered"])
      .where("organizationId", "=", organizationId)
      .where(agentExists("replyFailures"))
      .where(isOutsideTrash("replyFailures"))
      .where("at", ">=", since())
      .orderBy("at", "desc")
      .limit(MAX_COUNTED);
    return db
      .selectFrom(lately.as("lately"))
      .select([
        "provider",
        (x) => x.fn.countAll<number>().as("count"),
        (x) => x.fn.max<number>("at").as("newestAt"),
        (x) => x.fn.sum<number>("isAnswered").as("answered"),
      ])
      .groupBy("provider")
      .execute();
  }

  async function findNewest(organizationId: string, provider: string | null, at: number) {
    return db
      .selectFrom("replyFailures")
      .selectAll()
      .where("organizationId", "=", organizationId)
      .where(agentExists("replyFailures"))
      .where(isOutsideTrash("replyFailures"))
      .where("at", "=", at)
      .where("provider", provider === null ? "is" : "=", provider)
      .limit(1)
      .executeTakeFirst();
  }

  /** Whether a model has answered for the agent since the failure. */
  async function isRecovered(organizationId: string, { agentId, at }: ReplyFailureRow): Promise<boolean> {
    const answered = db
      .selectFrom("conversations")
      .innerJoin("messages", "messages.conversationId", "conversations.id")
      .select("messages.id")
      .where("conversations.organizationId", "=", organizationId)
      .where("conversations.updatedAt", ">=", at - DAY_MS)
      // The expression prevents the database from reading all of the agent's conversations. It then uses the index on
      // `updatedAt`, which yields few rows.
      .where(sql`"agentId" || ''`, "=", agentId)
      .where("messages.model", "is not", null)
      .where("stopReason", "in", ["end_turn", "max_steps", "max_tokens"])
      .where("messages.updatedAt", ">", at)
      .limit(1);
    // This may have to read every conversation of the last day.
    return (await reads.run(answered, { lane: "list", owner: organizationId })).length > 0;
  }

  return {
    /** Recent failures by provider, newest first. */
    async lately(organizationId: string): Promise<ProviderFailures[]> {
      const entries: ProviderFailures[] = [];
      for (const { provider, count, answered, newestAt } of await countFailures(organizationId)) {
        const newest = await findNewest(organizationId, provider, Number(newestAt));
        if (!newest) continue;
        entries.push({
          provider,
          label: providerLabel(provider),
          count: Number(count),
          answered: Number(answered),
          isOngoing: newest.isAnswered === 0 && !(await isRecovered(organizationId, newest)),
          newest: {
            code: newest.code,
            message: newest.message,
            providerStatus: newest.providerStatus,
            model: newest.model,
            agentId: newest.agentId,
            conversationId: newest.conversationId,
            at: new Date(newest.at).toISOString(),
          },
        });
      }
      return entries.sort((a, b) => (a.newest.at < b.newest.at ? 1 : -1));
    },
  };

  function providerLabel(provider: string | null): string {
    return provider === null ? "Server" : models.labelOf(provider);
  }
}
