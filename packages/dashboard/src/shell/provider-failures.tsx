import type { ProviderFailures as Failures, Role } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { pluralize } from "../components/plural.ts";
import { Status } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { endpointQuery } from "../data/queries.ts";
import { canOpen, settingsPages } from "./destinations.tsx";
import { describeCause } from "./failure-cause.ts";

const modelsPage = settingsPages.find(({ to }) => to === "/settings/models");
const REFRESH_MS = 60_000;

/**
 * Lists providers above every page: failing ones with their error messages, until a reply succeeds again, and those in
 * whose place a fallback model has answered. The inbox does not show it, because it fills the window and marks each
 * failed reply itself.
 */
export function ProviderFailures({ role }: { role: Role | null }) {
  const isInbox = useRouterState({
    select: ({ location }) => /^\/agents\/[^/]+\/conversations/.test(location.pathname),
  });
  const failures =
    useQuery({ ...endpointQuery("listProviderFailures"), staleTime: 0, refetchInterval: REFRESH_MS }).data ?? [];
  const shown = failures.filter(({ isOngoing, answered }) => isOngoing || answered > 0);
  if (isInbox || shown.length === 0) return null;
  return (
    <section aria-label="Provider failures" className="border-b border-line bg-raised">
      {shown.map((failing) => (
        <div
          key={failing.provider}
          className="mx-auto flex w-full max-w-[1400px] flex-wrap items-center gap-x-5 gap-y-1 px-4 py-3 sm:px-8"
        >
          <p className="min-w-0 flex-1 basis-72 wrap-anywhere">
            {failing.isOngoing ? <Failure {...failing} /> : <Changeovers {...failing} />}
          </p>
          {modelsPage && canOpen(role, modelsPage) && (
            <Link to="/settings/models" className="underline underline-offset-2">
              Model settings
            </Link>
          )}
          {failing.isOngoing && (
            <Link
              to="/agents/$agentId/conversations"
              params={{ agentId: failing.newest.agentId }}
              search={{ failed: "true" }}
              className="underline underline-offset-2"
            >
              Failed conversations
            </Link>
          )}
        </div>
      ))}
    </section>
  );
}

function Failure({ provider, label, newest: { message, providerStatus, at } }: Failures) {
  return (
    <>
      <Status tone="wrong">
        <strong className="font-semibold">{provider ? `${label} is failing.` : "Replies are failing."}</strong>
      </Status>{" "}
      Last failure <Time at={at} />: {message}
      {providerStatus !== null && ` (HTTP ${providerStatus})`}
    </>
  );
}

function Changeovers({ label, answered, newest }: Failures) {
  return (
    <>
      <Status tone="warning">
        <strong className="font-semibold">A fallback model answered</strong>
      </Status>{" "}
      {pluralize(answered, "time")} in the last 24 hours. {label}: {describeCause(newest)}
    </>
  );
}
