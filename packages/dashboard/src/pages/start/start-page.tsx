import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { Page } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { rememberAgent } from "../../data/last-agent.ts";
import { ask } from "../../data/queries.ts";
import { ArriveStep } from "./arrive-step.tsx";
import { EmbedStep } from "./embed-step.tsx";
import { KnowStep } from "./know-step.tsx";
import { NameStep } from "./name-step.tsx";
import { type StartStep, startSteps, stepOf } from "./start-steps.ts";
import { TryStep } from "./try-step.tsx";

const route = getRouteApi("/shell/start");

/** From a name to the first visitor. Each step has its address, can be left, and come back to. */
export function StartPage() {
  const search = route.useSearch();
  const { agentId } = search;
  const step = stepOf(search);
  const agent = useQuery({ ...ask("getAgent", { id: agentId ?? "" }), enabled: agentId !== undefined });
  const name = agent.data?.name;
  if (agent.data) rememberAgent(agent.data.id);
  return (
    <Page
      title={name ? `Set up ${name}` : "Make an agent"}
      description="Five short steps. What you do is kept."
      actions={
        agentId &&
        name && (
          <Link
            to="/agents/$agentId"
            params={{ agentId }}
            className="inline-flex min-h-9 items-center text-soft underline underline-offset-2 hover:text-ink"
          >
            Leave the guide
          </Link>
        )
      }
    >
      <div className="grid gap-x-12 gap-y-6 md:grid-cols-[11rem_minmax(0,1fr)]">
        <Steps step={step} agentId={agentId} />
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

export type StartAgent = {
  id: string;
  name: string;
  model: string;
  systemPrompt: string | null;
  widget: { suggestions?: string[] | null };
};

function Current({ step, agent }: { step: StartStep; agent: StartAgent }): ReactNode {
  if (step === "name") return <NameStep agent={agent} />;
  if (step === "know") return <KnowStep agent={agent} />;
  if (step === "try") return <TryStep agent={agent} />;
  if (step === "embed") return <EmbedStep agent={agent} />;
  return <ArriveStep agent={agent} />;
}

const mark = "flex size-6 shrink-0 items-center justify-center rounded-full border text-sm";

function Steps({ step, agentId }: { step: StartStep; agentId: string | undefined }) {
  const current = startSteps.findIndex(({ id }) => id === step);
  return (
    <nav aria-label="Steps" className="md:sticky md:top-8 md:self-start">
      <p className="mb-3 font-medium md:hidden">
        Step {current + 1} of {startSteps.length}: {startSteps[current]?.title}
      </p>
      <ol className="flex gap-2 md:grid md:gap-1">
        {startSteps.map(({ id, title }, index) => {
          const content = (
            <>
              <span aria-hidden className={`${mark} ${markOf(index, current)}`}>
                {index < current ? <Check size={14} /> : index + 1}
              </span>
              <span className="sr-only md:not-sr-only">{title}</span>
              {index < current && <span className="sr-only">, done</span>}
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
                  className={`${row} hover:bg-sunken ${id === step ? "font-medium" : "text-soft"}`}
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

function markOf(index: number, current: number): string {
  if (index === current) return "border-ink bg-ink text-paper";
  return index < current ? "border-ink text-ink" : "border-edge text-soft";
}
