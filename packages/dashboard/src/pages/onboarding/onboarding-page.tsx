import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { Page } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { rememberAgent } from "../../data/last-agent.ts";
import { dismissOnboarding, useOnboardingSteps } from "../../data/onboarding.ts";
import { endpointQuery } from "../../data/queries.ts";
import { ArriveStep } from "./arrive-step.tsx";
import { EmbedStep } from "./embed-step.tsx";
import { KnowledgeStep } from "./knowledge-step.tsx";
import { NameStep } from "./name-step.tsx";
import { type OnboardingAgent, type OnboardingStep, onboardingSteps, readStep } from "./onboarding-steps.ts";
import { TryStep } from "./try-step.tsx";

const route = getRouteApi("/shell/start");

/**
 * Guides the user from naming an agent to its first visitor. Each step has a URL, and the sidebar links back until all
 * steps are done or skipped.
 */
export function OnboardingPage() {
  const search = route.useSearch();
  const { agentId } = search;
  const step = readStep(search);
  const agent = useQuery({ ...endpointQuery("getAgent", { id: agentId ?? "" }), enabled: agentId !== undefined });
  const name = agent.data?.name;
  const progress = useOnboardingSteps(agent.data?.id);
  const done = progress?.done ?? (agent.data ? ["name"] : []);
  useEffect(() => {
    if (agent.data) rememberAgent(agent.data.id);
  }, [agent.data]);
  return (
    <Page
      title={name ? `Set up ${name}` : "Create agent"}
      description="Five short steps. You can leave and continue at any time."
      actions={
        agentId &&
        name && (
          <Link
            to="/agents/$agentId"
            params={{ agentId }}
            onClick={() => dismissOnboarding(agentId)}
            className="inline-flex min-h-9 items-center text-soft underline underline-offset-2 hover:text-ink"
          >
            Skip setup
          </Link>
        )
      }
    >
      <div className="grid gap-x-12 gap-y-6 md:grid-cols-[11rem_minmax(0,1fr)]">
        <Steps step={step} agentId={agentId} done={done} />
        <div key={`${agentId} ${step}`} className="min-w-0">
          {!agentId ? (
            <NameStep />
          ) : agent.isError ? (
            <ErrorState error={agent.error} onRetry={() => void agent.refetch()} />
          ) : agent.data ? (
            <Current step={step} agent={agent.data} />
          ) : (
            <SkeletonRows />
          )}
        </div>
      </div>
    </Page>
  );
}

function Current({ step, agent }: { step: OnboardingStep; agent: OnboardingAgent }): ReactNode {
  if (step === "name") return <NameStep agent={agent} />;
  if (step === "know") return <KnowledgeStep agent={agent} />;
  if (step === "try") return <TryStep agent={agent} />;
  if (step === "embed") return <EmbedStep agent={agent} />;
  return <ArriveStep agent={agent} />;
}

const mark = "flex size-6 shrink-0 items-center justify-center rounded-full border text-sm";

function Steps({
  step,
  agentId,
  done,
}: {
  step: OnboardingStep;
  agentId: string | undefined;
  done: readonly string[];
}) {
  const current = onboardingSteps.findIndex(({ id }) => id === step);
  return (
    <nav aria-label="Steps" className="md:sticky md:top-8 md:self-start">
      <p className="mb-3 font-medium md:hidden">
        Step {current + 1} of {onboardingSteps.length}: {onboardingSteps[current]?.title}
      </p>
      <ol className="flex gap-2 md:grid md:gap-1">
        {onboardingSteps.map(({ id, title }, index) => {
          const content = (
            <>
              <span aria-hidden className={`${mark} ${chooseMark(id === step, done.includes(id))}`}>
                {done.includes(id) ? <Check size={14} /> : index + 1}
              </span>
              <span className="sr-only md:not-sr-only">{title}</span>
              {done.includes(id) && <span className="sr-only">, done</span>}
            </>
          );
          return (
            <li key={id}>
              {agentId ? (
                <Link
                  to="/start"
                  search={{ agentId, step: id }}
                  aria-current={id === step ? "step" : undefined}
                  activeProps={{}}
                  className={`${row} hover:bg-hover ${id === step ? "font-medium" : "text-soft"}`}
                >
                  {content}
                </Link>
              ) : (
                <span
                  aria-current={id === step ? "step" : undefined}
                  className={`${row} ${id === step ? "font-medium" : "text-soft"}`}
                >
                  {content}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

const row = "flex min-h-9 items-center gap-2.5 rounded-lg pe-2 md:-ms-1.5 md:px-1.5 pointer-coarse:min-h-11";

function chooseMark(isCurrent: boolean, isDone: boolean): string {
  if (isCurrent) return "border-ink bg-ink text-paper";
  return isDone ? "border-ink text-ink" : "border-edge text-soft";
}
