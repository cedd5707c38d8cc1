import type { Role } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { Status } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { endpointQuery } from "../data/queries.ts";
import { canOpen, settingsPages } from "./destinations.tsx";

const modelsPage = settingsPages.find(({ to }) => to === "/settings/models");
const REFRESH_MS = 60_000;

/**
 * Lists failing providers with their error messages above every page, until a reply succeeds again. The inbox does not
 * show it, because it fills the window and marks each failed reply itself.
 */
export function ProviderFailures({ role }: { role: Role | null }) {
  const isInbox = useRouterState({
    select: ({ location }) => /^\/agents\/[^/]+\/conversations/.test(location.pathname),
  });
  const failures =
    useQuery({ ...endpointQuery("listProviderFailures"), staleTime: 0, refetchInterval: REFRESH_MS }).data ?? [];
  const ongoing = failures.filter(({ isOngoing }) => isOngoing);
  if (isInbox || ongoing.length === 0) return null;
  return (
    <section aria-label="Provider failures" className="border-b border-line bg-raised">
      {ongoing.map(({ provider, label, newest: { message, providerStatus, agentId, at } }) => (
        <div
          key={provider}
          className="mx-auto flex w-full max-w-[1400px] flex-wrap items-center gap-x-5 gap-y-1 px-4 py-3 sm:px-8"
        >
          <p className="min-w-0 flex-1 basis-72 wrap-anywhere">
            <Status tone="wrong">
              <strong className="font-semibold">{provider ? `${label} is failing.` : "Replies are failing."}</strong>
            </Status>{" "}
            Last failure <Time at={at} />: {message}
            {providerStatus !== null && ` (HTTP ${providerStatus})`}
          </p>
          {modelsPage && canOpen(role, modelsPage) && (
            <Link to="/settings/models" className="underline underline-offset-2">
              Model settings
            </Link>
          )}
          <Link
            to="/agents/$agentId/conversations"
            params={{ agentId }}
            search={{ failed: "true" }}
            className="underline underline-offset-2"
          >
            Failed conversations
          </Link>
        </div>
      ))}
    </section>
  );
}
