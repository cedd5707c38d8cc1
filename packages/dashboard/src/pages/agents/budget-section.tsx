import { useQuery } from "@tanstack/react-query";
import { AdminFields } from "../../components/admin-fields.tsx";
import { formatCost } from "../../components/cost-text.ts";
import { NumberField, TextArea } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { pluralize } from "../../components/plural.ts";
import { Skeleton } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { useCurrency } from "../../data/use-currency.ts";

type Values = { monthlyTokenBudget: number | null; monthlyCostBudget: number | null; budgetMessage: string };

/** The agent's monthly limits of tokens and of costs, and the message shown once one of them is used up. */
export function BudgetSection({
  agentId,
  values,
  onChange,
  errorAt,
}: {
  agentId: string;
  values: Values;
  onChange: (part: Partial<Values>) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const { monthlyTokenBudget, monthlyCostBudget, budgetMessage } = values;
  const { isPending, usage } = useUsage(agentId);
  const currency = useCurrency();
  const unknown = useUnknownCosts(agentId);
  return (
    <Section
      title="Budget"
      description="Limits how many tokens this agent uses and what it costs per calendar month (UTC). A reply that is running when a limit is reached still finishes. At 80%, owners and admins get an email."
    >
      {isPending && <Skeleton className="h-10 max-w-md" />}
      {usage && (
        <Used
          spent={usage.tokensThisMonth}
          budget={monthlyTokenBudget}
          unit=" tokens"
          format={(tokens) => tokens.toLocaleString()}
        />
      )}
      <AdminFields>
        <NumberField
          label="Monthly token limit"
          isOptional
          min={0}
          step={1_000}
          inputMode="numeric"
          placeholder="No limit"
          className="max-w-48"
          value={monthlyTokenBudget}
          onChange={(value) => onChange({ monthlyTokenBudget: value })}
          error={errorAt("monthlyTokenBudget")}
        />
      </AdminFields>
      {isPending && <Skeleton className="h-10 max-w-md" />}
      {usage && currency && (
        <div className="grid gap-1">
          <Used
            spent={usage.costThisMonth}
            budget={monthlyCostBudget}
            unit=""
            format={(money) => formatCost(money, currency)}
          />
          {unknown > 0 && (
            <p className="max-w-md text-sm text-soft">
              Without {pluralize(unknown, "reply", "replies")} whose model has no price.
            </p>
          )}
        </div>
      )}
      <AdminFields>
        <NumberField
          label={currency ? `Monthly cost limit (${currency})` : "Monthly cost limit"}
          isOptional
          min={0}
          step="any"
          inputMode="decimal"
          placeholder="No limit"
          className="max-w-48"
          value={monthlyCostBudget}
          onChange={(value) => onChange({ monthlyCostBudget: value })}
          error={errorAt("monthlyCostBudget")}
        />
      </AdminFields>
      <TextArea
        label="Message when the budget is used up"
        isOptional
        placeholder="I can't answer any more questions right now. Please try again later."
        value={budgetMessage}
        onChange={(message) => onChange({ budgetMessage: message })}
        error={errorAt("budgetMessage")}
      />
    </Section>
  );
}

/** What the agent has used this month, from the counters that its budgets are compared with. */
function useUsage(agentId: string) {
  const { data, isPending } = useQuery(endpointQuery("getPlan"));
  return { isPending, usage: data?.usage.agents.find(({ id }) => id === agentId) };
}

/** The replies of this month whose cost is unknown. They count towards no budget. */
function useUnknownCosts(agentId: string) {
  const from = `${new Date().toISOString().slice(0, 7)}-01`;
  return useQuery(endpointQuery("estimateModelCosts", { agentId, from })).data?.unknownCostReplies ?? 0;
}

/** What was used this month, and how much of the budget that is. */
function Used({
  spent,
  budget,
  unit,
  format,
}: {
  spent: number;
  budget: number | null;
  unit: string;
  format: (value: number) => string;
}) {
  const part = budget ? Math.min(1, spent / budget) : 0;
  return (
    <div className="grid min-h-10 max-w-md content-start gap-2">
      <p>
        <span className="font-medium">{format(spent)}</span>
        <span className="text-soft">
          {budget === null ? `${unit} this month` : ` of ${format(budget)}${unit} this month`}
          {budget !== null && spent >= budget && ". The budget is used up"}
        </span>
      </p>
      {budget !== null && (
        <div aria-hidden className="h-1.5 rounded-full bg-line">
          <div
            data-fill
            className="h-full rounded-full bg-ink"
            style={{ width: `${Math.max(part * 100, spent > 0 ? 1 : 0)}%` }}
          />
        </div>
      )}
    </div>
  );
}
