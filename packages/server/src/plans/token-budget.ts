import { sql } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { toUtcDay } from "../utc-day.ts";
import { tokensPerMonth } from "./plan-limits.ts";

const DEFAULT_MESSAGE = "I cannot answer any more questions right now. Please try again later.";
/** The maximum that is counted for one reply. No reply is larger, so a higher count is an error of the provider. */
const MAX_TOKENS = 1_000_000_000;

/**
 * The budgets that a reply counts towards besides its agent's: the visitor's and the IP address's (both as pseudonymous
 * keys), and the organization's when the operator's provider key is used. Null where none applies.
 */
export type UsageOwner = { visitor: string | null; address: string | null; organizationId: string | null };

/** The tokens that a reply used, and what they cost: 0 when that is unknown. */
export type TokenUsage = UsageOwner & { agentId: string; tokens: number; cost: number };

/**
 * The tokens that an agent used in a month (UTC), `added` of them just now, what its replies cost, and when the team was
 * notified that most of a budget is used.
 */
export type MonthUsage = {
  agentId: string;
  month: string;
  tokens: number;
  added: number;
  cost: number;
  tokensNotifiedAt: number | null;
  costNotifiedAt: number | null;
};

type Budgeted = Pick<AgentRow, "id" | "monthlyTokenBudget" | "monthlyCostBudget" | "budgetMessage">;

export type TokenBudgets = ReturnType<typeof createTokenBudgets>;

/**
 * Limits token usage: per agent and calendar month, per visitor and per IP address and day, and, for the operator's
 * keys, per organization and month (all in UTC). A reply is counted when it ends, so replies that run at the same time
 * can together exceed a budget.
 */
export function createTokenBudgets(
  { db, config, encryption }: Pick<Deps, "db" | "config" | "encryption">,
  now: () => number = Date.now,
) {
  const read = readQuery(db);
  const { addToMonth, addToDay, addToOrganization } = countQueries(db);
  const { visitorTokensPerDay, addressTokensPerDay, planTokens } = config.limits;
  const budgetKey = (who: string | null, limit: number) =>
    who === null || limit === 0 ? null : visitorKey(encryption, who);

  return {
    /**
     * @param given.visitor the visitor whose daily budget applies
     * @param given.ip the visitor's IP address, null when limits by address do not apply
     * @param given.organizationId null when the organization uses its own provider key
     */
    usageOwnerOf: (given: {
      visitor: string | null;
      ip: string | null;
      organizationId: string | null;
    }): UsageOwner => ({
      visitor: budgetKey(given.visitor, visitorTokensPerDay),
      address: budgetKey(given.ip && `address:${given.ip}`, addressTokensPerDay),
      organizationId: given.organizationId,
    }),
    /**
     * The message to send instead of calling the model because a budget is used up; null while all budgets have room.
     */
    async refusal(agent: Budgeted, owner: UsageOwner): Promise<string | null> {
      const { id, monthlyTokenBudget, monthlyCostBudget, budgetMessage } = agent;
      const { visitor, address, organizationId } = owner;
      if (monthlyTokenBudget === null && monthlyCostBudget === null && !visitor && !address && !organizationId) {
        return null;
      }
      const day = toUtcDay(now());
      const { rows } = await read(db, {
        agentId: id,
        month: monthOf(day),
        day,
        visitor: visitor ?? "",
        address: address ?? "",
        organizationId: organizationId ?? "",
      });
      const spent = rows[0];
      const isOver = (tokens: number | null | undefined, limit: number | null) =>
        limit !== null && (tokens ?? 0) >= limit;
      const ofPlan = tokensPerMonth(spent?.plan ?? "", planTokens) || null;
      const isSpent =
        isOver(spent?.ofMonth, monthlyTokenBudget) ||
        isOver(spent?.costOfMonth, monthlyCostBudget) ||
        isOver(spent?.ofVisitor, visitor === null ? null : visitorTokensPerDay) ||
        isOver(spent?.ofAddress, address === null ? null : addressTokensPerDay) ||
        isOver(spent?.ofOrganization, organizationId === null ? null : ofPlan);
      return isSpent ? budgetMessage?.trim() || DEFAULT_MESSAGE : null;
    },
    /**
     * Adds the usage of replies in the transaction that ends them. Rows are updated in a fixed order to avoid
     * deadlocks.
     * @returns what the agents have used this month, including this usage
     */
    async count(trx: Executor, usages: readonly TokenUsage[]): Promise<MonthUsage[]> {
      const day = toUtcDay(now());
      const month = monthOf(day);
      const ofMonth: MonthUsage[] = [];
      for (const [agentId, added] of sumByKey(usages.map((usage) => [usage.agentId, usage.tokens]))) {
        const cost = usages.reduce((sum, usage) => (usage.agentId === agentId ? sum + usage.cost : sum), 0);
        const { rows } = await addToMonth(trx, { agentId, month, tokens: added, cost });
        for (const row of rows) ofMonth.push({ agentId, month, added, ...row });
      }
      const ofOrganizations = usages.flatMap(({ organizationId, tokens }) =>
        organizationId === null ? [] : [[organizationId, tokens] as const],
      );
      for (const [organizationId, tokens] of sumByKey(ofOrganizations)) {
        await addToOrganization(trx, { organizationId, month, tokens });
      }
      const ofDays = usages.flatMap(({ agentId, visitor, address, tokens }) =>
        [visitor, address].flatMap((who) => (who === null ? [] : [[`${agentId} ${who}`, tokens] as const])),
      );
      for (const [key, tokens] of sumByKey(ofDays)) {
        const [agentId = "", visitor = ""] = key.split(" ");
        await addToDay(trx, { agentId, visitor, day, tokens });
      }
      return ofMonth;
    },
    /** Adds tokens that no visitor's reply used. They count towards the organization's budget alone. */
    async countForOrganization(organizationId: string, tokens: number): Promise<void> {
      if (tokens <= 0) return;
      const month = monthOf(toUtcDay(now()));
      await addToOrganization(db, { organizationId, month, tokens: Math.min(tokens, MAX_TOKENS) });
    },
    /** The tokens that the organization used with the operator's keys this month. */
    async usedByOrganization(organizationId: string): Promise<number> {
      const row = await db
        .selectFrom("organizationMonths")
        .select("tokens")
        .where("organizationId", "=", organizationId)
        .where("month", "=", monthOf(toUtcDay(now())))
        .executeTakeFirst();
      return row?.tokens ?? 0;
    },
  };
}

/** The key of a visitor's counter, which reveals nothing about the visitor. `who` is as in `budgetOwner`. */
export function visitorKey(encryption: Deps["encryption"], who: string): string {
  return encryption.sign("visitor-days", who);
}

const monthOf = (day: string) => day.slice(0, 7);

/** The totals per key, sorted by key. */
function sumByKey(amounts: ReadonlyArray<readonly [key: string, tokens: number]>) {
  const total = new Map<string, number>();
  for (const [key, tokens] of amounts) total.set(key, Math.min((total.get(key) ?? 0) + tokens, MAX_TOKENS));
  return [...total].filter(([, tokens]) => tokens > 0).sort(([a], [b]) => (a < b ? -1 : 1));
}

type Spent = {
  ofMonth: number | null;
  costOfMonth: number | null;
  ofVisitor: number | null;
  ofAddress: number | null;
  ofOrganization: number | null;
  plan: string | null;
};
type Asked = {
  agentId: string;
  month: string;
  day: string;
  visitor: string;
  address: string;
  organizationId: string;
};
type Counted = { agentId: string; visitor: string; day: string; tokens: number };

function readQuery(db: Db) {
  return compileOnce<Asked, Spent>((param) =>
    db.selectNoFrom((from) => {
      const selectDay = (who: "visitor" | "address") =>
        from
          .selectFrom("visitorDays")
          .select("tokens")
          .where("agentId", "=", param("agentId"))
          .where("visitor", "=", param(who))
          .where("day", "=", param("day"));
      return [
        from
          .selectFrom("agentMonths")
          .select("tokens")
          .where("agentId", "=", param("agentId"))
          .where("month", "=", param("month"))
          .as("ofMonth"),
        from
          .selectFrom("agentMonths")
          .select("cost")
          .where("agentId", "=", param("agentId"))
          .where("month", "=", param("month"))
          .as("costOfMonth"),
        selectDay("visitor").as("ofVisitor"),
        selectDay("address").as("ofAddress"),
        from
          .selectFrom("organizationMonths")
          .select("tokens")
          .where("organizationId", "=", param("organizationId"))
          .where("month", "=", param("month"))
          .as("ofOrganization"),
        from.selectFrom("organizations").select("plan").where("id", "=", param("organizationId")).as("plan"),
      ];
    }),
  );
}

/** The usage of agents and organizations that were deleted in the meantime is dropped. */
function countQueries(db: Db) {
  const tokens = (table: string) => sql<number>`${sql.ref(`${table}.tokens`)} + excluded.tokens`;
  return {
    addToOrganization: compileOnce<{ organizationId: string; month: string; tokens: number }, never>((param) =>
      db
        .insertInto("organizationMonths")
        .columns(["organizationId", "month", "tokens"])
        .expression(
          db
            .selectFrom("organizations")
            .select(["id", text(param("month")).as("month"), whole(param("tokens")).as("tokens")])
            .where("id", "=", param("organizationId")),
        )
        .onConflict((conflict) =>
          conflict.columns(["organizationId", "month"]).doUpdateSet({ tokens: tokens("organizationMonths") }),
        ),
    ),
    addToMonth: compileOnce<
      { agentId: string; month: string; tokens: number; cost: number },
      Omit<MonthUsage, "agentId" | "month" | "added">
    >((param) =>
      db
        .insertInto("agentMonths")
        .columns(["agentId", "month", "tokens", "cost"])
        .expression(
          db
            .selectFrom("agents")
            .select(["id", text(param("month")).as("month"), whole(param("tokens")).as("tokens")])
            .select(sql<number>`cast(${param("cost")} as double precision)`.as("cost"))
            .where("id", "=", param("agentId")),
        )
        .onConflict((conflict) =>
          conflict.columns(["agentId", "month"]).doUpdateSet({
            tokens: tokens("agentMonths"),
            cost: sql<number>`"agentMonths".cost + excluded.cost`,
          }),
        )
        .returning(["tokens", "cost", "tokensNotifiedAt", "costNotifiedAt"]),
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

/** PostgreSQL cannot infer the type of a parameter without a column. */
const text = (value: string) => sql<string>`cast(${value} as text)`;
const whole = (value: number) => sql<number>`cast(${value} as bigint)`;
