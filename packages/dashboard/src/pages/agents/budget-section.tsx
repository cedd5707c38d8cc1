import { useQuery } from "@tanstack/react-query";
import { NumberField, TextArea } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { Skeleton } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";

/** The agent's monthly token limit, and the message shown once it is used up. */
export function BudgetSection({
  agentId,
  budget,
  message,
  onChange,
  errorAt,
}: {
  agentId: string;
  budget: number | null;
  message: string;
  onChange: (part: { monthlyTokenBudget?: number | null; budgetMessage?: string }) => void;
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <Section
      title="Budget"
      description="Limits how many tokens this agent uses per calendar month (UTC). A reply that is running when the limit is reached still finishes."
    >
      <TokensUsed agentId={agentId} budget={budget} />
      <NumberField
        label="Monthly token limit"
        isOptional
        min={0}
        step={1_000}
        inputMode="numeric"
        placeholder="No limit"
        className="max-w-48"
        value={budget}
        onChange={(monthlyTokenBudget) => onChange({ monthlyTokenBudget })}
        error={errorAt("monthlyTokenBudget")}
      />
      <TextArea
        label="Message when the budget is used up"
        isOptional
        placeholder="I can't answer any more questions right now. Please try again later."
        value={message}
        onChange={(budgetMessage) => onChange({ budgetMessage })}
        error={errorAt("budgetMessage")}
      />
    </Section>
  );
}

function TokensUsed({ agentId, budget }: { agentId: string; budget: number | null }) {
  const usage = useQuery(endpointQuery("getPlan"));
  if (usage.isError) return null;
  if (!usage.data) return <Skeleton className="h-10 max-w-md" />;
  const spent = usage.data.usage.agents.find(({ id }) => id === agentId)?.tokensThisMonth ?? 0;
  const part = budget ? Math.min(1, spent / budget) : 0;
  return (
    <div className="grid min-h-10 max-w-md content-start gap-2">
      <p>
        <span className="font-medium">{spent.toLocaleString()}</span>
        <span className="text-soft">
          {budget === null ? " tokens this month" : ` of ${budget.toLocaleString()} tokens this month`}
          {budget !== null && spent >= budget && ". The budget is used up"}
        </span>
      </p>
      {budget !== null && (
        <div aria-hidden className="h-1.5 rounded-full bg-line">
          <div
            className="h-full rounded-full bg-ink"
            style={{ width: `${Math.max(part * 100, spent > 0 ? 1 : 0)}%` }}
          />
        </div>
      )}
    </div>
  );
}
