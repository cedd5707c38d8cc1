import type { MailContent } from "../../outbound/mail-content.ts";
import { removeLinks, toSingleLine, truncateText } from "../../outbox/message-text.ts";
import type { BudgetUse } from "./notice-target.ts";

type Facts = BudgetUse & { agentName: string; currency: string };

/** The email to owners and admins when an agent has used most of a monthly budget. */
export function budgetMail({ agentId, agentName, budget, month, used, limit, currency }: Facts, baseUrl: string) {
  const agent = truncateText(removeLinks(toSingleLine(agentName)), 80);
  const format = budget === "tokens" ? formatTokens : createMoneyFormat(currency);
  const name = budget === "tokens" ? "token budget" : "cost budget";
  const percent = Math.floor((used / limit) * 100);
  const opening = `${agent} has used ${percent}% of its monthly ${name}`;
  const outlook =
    used < limit
      ? "Once the budget is used up, visitors get the agent's message for that case instead of a reply"
      : "The budget is used up, so visitors get the agent's message for that case instead of a reply";
  return {
    subject: truncateText(opening, 250),
    parts: [
      `${opening}: ${format(used)} of ${format(limit)} in ${formatMonth(month)} (UTC).`,
      `${outlook}, until the next month begins or the budget is raised. This email is sent once per budget and month.`,
      { type: "link", label: "Change the budget:", url: `${baseUrl}/dashboard/agents/${agentId}` },
    ],
  } satisfies MailContent;
}

const formatTokens = (tokens: number) => `${tokens.toLocaleString("en")} tokens`;

function createMoneyFormat(currency: string): (amount: number) => string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return (amount) => format.format(amount);
}

function formatMonth(month: string): string {
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}
