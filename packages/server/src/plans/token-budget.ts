import { sql } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { dayOf } from "../utc-day.ts";

const DEFAULT_MESSAGE = "I cannot answer any more questions right now. Please try again later.";
/** No reply is larger; a provider that says so is mistaken. */
const MOST_TOKENS = 1_000_000_000;

/** What a reply cost. `visitor` is whose day it counts for, null when for nobody's. */
export type Spend = { agentId: string; visitor: string | null; tokens: number };

type Budgeted = Pick<AgentRow, "id" | "monthlyTokenBudget" | "budgetMessage">;

export type TokenBudgets = ReturnType<typeof createTokenBudgets>;

/**
 * What agents may spend on models: each its budget of a calendar month, and on each visitor so much a day (UTC). A reply
 * counts when it ends, so replies that run at the same time can go over a budget by what they cost.
 */
export function createTokenBudgets(
  { db, config, secrets }: Pick<Deps, "db" | "config" | "secrets">,
  now: () => number = Date.now,
) {
  const { read, addToMonth, addToDay } = budgetQueries(db);
  const perDay = config.limits.visitorTokensPerDay;

  return {
    /** A visitor as the counters know it, without telling who it is; null where visitors have no budget. */
    visitorKey: (visitor: string | null) =>
      visitor === null || perDay === 0 ? null : secrets.sign("visitor-days", visitor),
    /** What the agent says instead of asking its model, because a budget is spent; null while it may ask. */
    async refusal({ id, monthlyTokenBudget, budgetMessage }: Budgeted, visitor: string | null): Promise<string | null> {
      if (monthlyTokenBudget === null && visitor === null) return null;
      const day = dayOf(now());
      const { rows } = await read(db, { agentId: id, month: monthOf(day), visitor: visitor ?? "", day });
      const ofMonth = rows[0]?.ofMonth ?? 0;
      const ofDay = rows[0]?.ofDay ?? 0;
      const isSpent =
        (monthlyTokenBudget !== null && ofMonth >= monthlyTokenBudget) || (visitor !== null && ofDay >= perDay);
      return isSpent ? budgetMessage?.trim() || DEFAULT_MESSAGE : null;
    },
    /** Counts what replies cost, in the transaction that ends them; rows in one order, so that two cannot block each other. */
    async count(trx: Executor, spends: readonly Spend[]): Promise<void> {
      const day = dayOf(now());
      for (const [agentId, tokens] of sums(spends.map((spend) => [spend.agentId, spend.tokens]))) {
        await addToMonth(trx, { agentId, month: monthOf(day), tokens });
      }
      const ofVisitors = spends.flatMap(({ agentId, visitor, tokens }) =>
        visitor === null ? [] : [[`${agentId} ${visitor}`, tokens] as const],
      );
      for (const [key, tokens] of sums(ofVisitors)) {
        const [agentId = "", visitor = ""] = key.split(" ");
        await addToDay(trx, { agentId, visitor, day, tokens });
      }
    },
  };
}

const monthOf = (day: string) => day.slice(0, 7);

/** Added up by key, in the keys' order. */
function sums(amounts: ReadonlyArray<readonly [key: string, tokens: number]>) {
  const total = new Map<string, number>();
  for (const [key, tokens] of amounts) total.set(key, Math.min((total.get(key) ?? 0) + tokens, MOST_TOKENS));
  return [...total].filter(([, tokens]) => tokens > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

type Spent = { ofMonth: number | null; ofDay: number | null };
type Counted = { agentId: string; visitor: string; day: string; tokens: number };

/** An agent that was deleted meanwhile is not counted for. */
function budgetQueries(db: Db) {
  const tokens = (table: string) => sql<number>`${sql.ref(`${table}.tokens`)} + excluded.tokens`;
  return {
    read: compileOnce<{ agentId: string; month: string; visitor: string; day: string }, Spent>((param) =>
      db.selectNoFrom((from) => [
        from
          .selectFrom("agentMonths")
          .select("tokens")
          .where("agentId", "=", param("agentId"))
          .where("month", "=", param("month"))
          .as("ofMonth"),
        from
          .selectFrom("visitorDays")
          .select("tokens")
          .where("agentId", "=", param("agentId"))
          .where("visitor", "=", param("visitor"))
          .where("day", "=", param("day"))
          .as("ofDay"),
      ]),
    ),
    addToMonth: compileOnce<{ agentId: string; month: string; tokens: number }, never>((param) =>
      db
        .insertInto("agentMonths")
        .columns(["agentId", "month", "tokens"])
        .expression(
          db
            .selectFrom("agents")
            .select(["id", text(param("month")).as("month"), whole(param("tokens")).as("tokens")])
            .where("id", "=", param("agentId")),
        )
        .onConflict((conflict) =>
          conflict.columns(["agentId", "month"]).doUpdateSet({ tokens: tokens("agentMonths") }),
        ),
    ),
    addToDay: compileOnce<Counted, never>((param) =>
      db
        .insertInto("visitorDays")
        .columns(["agentId", "visitor", "day", "tokens"])
        .expression(
          db
            .selectFrom("agents")
            .select(["id", text(param("visitor")).as("visitor"), text(param("day")).as("day")])
            .select(whole(param("tokens")).as("tokens"))
            .where("id", "=", param("agentId")),
        )
        .onConflict((conflict) =>
          conflict.columns(["agentId", "visitor", "day"]).doUpdateSet({ tokens: tokens("visitorDays") }),
        ),
    ),
  };
}

/** PostgreSQL wants to know the type of a parameter that stands alone. */
const text = (value: string) => sql<string>`cast(${value} as text)`;
const whole = (value: number) => sql<number>`cast(${value} as bigint)`;
