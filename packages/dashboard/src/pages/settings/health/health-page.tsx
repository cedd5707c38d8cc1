import type { Check } from "@foyer/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../../../components/button.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { HealthCheck } from "./health-check.tsx";
import { ProviderTests } from "./provider-tests.tsx";
import { StreamHealth, streamTest } from "./stream-health.tsx";

const link = "w-fit underline underline-offset-2";

/** Links to the pages where a problem can be fixed. */
const fixLinks: Record<string, ReactNode> = {
  model: (
    <Link to="/settings/models" className={link}>
      Connect a provider
    </Link>
  ),
  notifications: (
    <Link to="/settings/notices" className={link}>
      Notification settings
    </Link>
  ),
  deliveries: (
    <Link to="/settings/webhooks" className={link}>
      View forms and their last deliveries
    </Link>
  ),
};

const urgency = ["failure", "warning", "ok", "off"];

/** Problems of the server and of the connection to it, and how to fix them. */
export function HealthPage() {
  const queries = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery({ ...endpointQuery("getDoctor"), staleTime: 0 });
  const stream = useQuery(streamTest);
  const isBusy = isFetching || stream.isFetching;
  const again = () => {
    queries.invalidateQueries({ queryKey: endpointQuery("getDoctor").queryKey });
    queries.invalidateQueries({ queryKey: streamTest.queryKey });
  };
  return (
    <Page
      isWide
      title="Health"
      description="Checks of the server, and of the connection between the server and this browser."
      actions={
        <Button isBusy={isBusy} onClick={again}>
          Run again
        </Button>
      }
    >
      <Section
        title="Streaming"
        description="Replies are streamed. In this test the server sends five events 0.2 seconds apart, and this page checks how they arrive."
      >
        <StreamHealth />
      </Section>
      <Section title="Server" description={data && summarizeChecks(data.checks)}>
        {error && !data && <ErrorState error={error} onRetry={refetch} />}
        {!data && !error && <SkeletonRows count={8} label="Running checks" />}
        {data && (
          <ul className="border-t border-line">
            {data.checks
              .toSorted((a, b) => urgency.indexOf(a.state) - urgency.indexOf(b.state))
              .map((check) => (
                <HealthCheck key={check.id} {...check}>
                  {check.state !== "ok" && fixLinks[check.id]}
                </HealthCheck>
              ))}
          </ul>
        )}
      </Section>
      <ProviderTests />
    </Page>
  );
}

function summarizeChecks(checks: Check[]): string {
  const failures = checks.filter(({ state }) => state === "failure").length;
  const warnings = checks.filter(({ state }) => state === "warning").length;
  if (failures + warnings === 0) return "All checks passed.";
  const parts = [
    failures > 0 && `${failures} ${failures === 1 ? "check is" : "checks are"} failing`,
    warnings > 0 &&
      `${warnings} ${failures > 0 ? "" : warnings === 1 ? "check " : "checks "}${warnings === 1 ? "needs" : "need"} attention`,
  ];
  return `${parts.filter(Boolean).join(" and ")}.`;
}
