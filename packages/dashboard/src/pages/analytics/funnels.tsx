import type { FormAnalyticsEntry } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ButtonLink } from "../../components/button.tsx";
import { toFormSteps } from "../../components/form-steps.ts";
import { Funnel, type FunnelStep } from "../../components/funnel.tsx";
import { Section } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";

type Period = { agentId: string; from: string; to: string };

/** How far visitors follow the agent's triggers and forms, over all of them. Left out until one of them was shown. */
export function Funnels({ period }: { period: Period }) {
  const triggers = useQuery({ ...endpointQuery("getTriggerStats", period), placeholderData: keepPreviousData });
  const forms = useQuery({ ...endpointQuery("getFormAnalytics", period), placeholderData: keepPreviousData });
  const failed = [triggers, forms].find(({ error }) => error !== null);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  const params = { agentId: period.agentId };
  const triggerSteps = toTriggerSteps(Object.values(triggers.data ?? {}));
  const formSteps = toFormSteps(sumForms(forms.data?.analytics ?? []));
  return (
    <>
      {wasShown(triggerSteps) && (
        <Section
          title="Triggers"
          description="How often triggers ran, and how often the visitor then engaged."
          actions={
            <ButtonLink to="/agents/$agentId/triggers" params={params}>
              Compare triggers
            </ButtonLink>
          }
        >
          <Funnel label="Funnel of triggers" steps={triggerSteps} />
        </Section>
      )}
      {wasShown(formSteps) && (
        <Section
          title="Forms"
          description="Each step with its share of the previous step."
          actions={
            <ButtonLink to="/agents/$agentId/forms/analytics" params={params}>
              Compare forms
            </ButtonLink>
          }
        >
          <Funnel label="Funnel of forms" steps={formSteps} />
        </Section>
      )}
    </>
  );
}

const wasShown = ([first]: readonly FunnelStep[]) => first !== undefined && first.count > 0;

function toTriggerSteps(counts: ReadonlyArray<{ firedCount: number; convertedCount: number }>): FunnelStep[] {
  return [
    {
      name: "Fired",
      help: "Times a bubble, form or chat appeared",
      count: counts.reduce((sum, { firedCount }) => sum + firedCount, 0),
      color: "bg-edge",
    },
    {
      name: "Converted",
      help: "Clicked, wrote or submitted",
      count: counts.reduce((sum, { convertedCount }) => sum + convertedCount, 0),
      color: "bg-lamp",
      ofBefore: "of fired",
    },
  ];
}

function sumForms(entries: readonly FormAnalyticsEntry[]) {
  const sum = { impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };
  for (const entry of entries) {
    sum.impressions += entry.impressions;
    sum.started += entry.started;
    sum.submitted += entry.submitted;
    sum.successful += entry.successful;
    sum.failed += entry.failed;
  }
  return sum;
}
