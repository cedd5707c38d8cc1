import type { Check } from "@foyer/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { Page, Section } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { ask } from "../../data/queries.ts";
import { HealthCheck } from "./health-check.tsx";
import { StreamHealth, streamTest } from "./stream-health.tsx";

const link = "w-fit underline underline-offset-2";

/** What can be mended in the dashboard itself. */
const placesToMend: Record<string, ReactNode> = {
  model: (
    <Link to="/settings/models" className={link}>
      Set up a provider
    </Link>
  ),
  deliveries: (
    <Link to="/settings/webhooks" className={link}>
      See the forms and their last deliveries
    </Link>
  ),
};

const urgency = ["failure", "warning", "ok"];

/** What keeps the server from doing its work well, and how to mend it. */
export function HealthPage() {
  const queries = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({ ...ask("getDoctor"), staleTime: 0 });
  const stream = useQuery(streamTest);
  const isBusy = isFetching || stream.isFetching;
  const again = () => {
    queries.invalidateQueries({ queryKey: ask("getDoctor").queryKey });
    queries.invalidateQueries({ queryKey: streamTest.queryKey });
  };
  return (
    <Page
      title="Health"
      description="What the server finds when it looks at itself, and what this browser finds on the way to it."
      actions={
        <Button look="main" isBusy={isBusy} onClick={again}>
          Run again
        </Button>
      }
    >
      <Section
        title="The way to it"
        description="Replies are streamed. This test has the server send five events, a fifth of a second apart, and looks how they arrive here."
      >
        <StreamHealth />
      </Section>
      <Section title="The server" description={data && summaryOf(data.checks)}>
        {error && !data && <ErrorState error={error} onRetry={refetch} />}
        {!data && !error && <SkeletonRows count={8} label="Looking" />}
        {data && (
          <ul className="border-t border-line">
            {data.checks
              .toSorted((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state))
              .map((check) => (
                <HealthCheck key={check.id} {...check}>
                  {check.state !== "ok" && placesToMend[check.id]}
                </HealthCheck>
              ))}
          </ul>
        )}
      </Section>
    </Page>
  );
}

function summaryOf(checks: Check[]): string {
  const failures = checks.filter(({ state }) => state === "failure").length;
  const warnings = checks.filter(({ state }) => state === "warning").length;
  if (failures + warnings === 0) return "Everything that was looked at works.";
  const parts = [
    failures > 0 && `${failures} ${failures === 1 ? "does" : "do"} not work`,
    warnings > 0 && `${warnings} ${warnings === 1 ? "needs" : "need"} a look`,
  ];
  return `Of ${checks.length} checks ${parts.filter(Boolean).join(" and ")}.`;
}
