import type { Transaction } from "kysely";
import type { Change, ChangeListener } from "../../conversations/log/change.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { MAIL_HOST } from "../../outbox/host-of.ts";
import type { BudgetUse, EnqueueNotices } from "./notice-target.ts";
import { findAdmins } from "./recipients.ts";

/** The share of a monthly budget after which owners and admins get an email. */
const NOTIFIED_SHARE = 0.8;

type Used = Extract<Change, { kind: "tokens_used" }>;

/**
 * Emails owners and admins once per budget and month, in the transaction that counts the usage. That transaction has
 * locked the agent's month, so of several processes only one sends the email.
 */
export function createBudgetNotices(
  { mailer }: Pick<Deps, "mailer">,
  enqueue: EnqueueNotices,
  now: () => number = Date.now,
): ChangeListener {
  async function notify(trx: Transaction<Tables>, organizationId: string, use: BudgetUse): Promise<void> {
    await trx
      .updateTable("agentMonths")
      .set(use.budget === "tokens" ? { tokensNotifiedAt: now() } : { costNotifiedAt: now() })
      .where("agentId", "=", use.agentId)
      .where("month", "=", use.month)
      .execute();
    const admins = await findAdmins(trx, organizationId);
    await enqueue(
      trx,
      { organizationId, conversationId: null },
      admins.map((userId) => ({ type: "email", host: MAIL_HOST, target: { notice: "budget", ...use, userId } })),
    );
  }

  return async (trx, changes) => {
    if (!mailer.isConfigured) return;
    for (const change of changes) {
      if (change.kind !== "tokens_used") continue;
      for (const use of listNearBudgets(change)) await notify(trx, change.organizationId, use);
    }
  };
}

/** The budgets that are mostly used up and have not been announced this month. */
function listNearBudgets({ agentId, month, agent, ...usage }: Used): BudgetUse[] {
  const { monthlyTokenBudget, monthlyCostBudget } = agent;
  const budgets = [
    { budget: "tokens", used: usage.tokens, limit: monthlyTokenBudget, notifiedAt: usage.tokensNotifiedAt },
    { budget: "cost", used: usage.cost, limit: monthlyCostBudget, notifiedAt: usage.costNotifiedAt },
  ] as const;
  return budgets.flatMap(({ budget, used, limit, notifiedAt }) =>
    limit !== null && limit > 0 && notifiedAt === null && used >= limit * NOTIFIED_SHARE
      ? [{ agentId, budget, month, used, limit }]
      : [],
  );
}
