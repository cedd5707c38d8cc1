import type { ReplaySummary } from "@foyer/contract";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { formatSum } from "../../../components/cost-text.ts";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page } from "../../../components/page.tsx";
import { Pager } from "../../../components/pager.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { LinkTr, Table, Td, Th } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { TestTabs } from "../test-tabs.tsx";
import { statusLabels, versionLabel } from "./replay-labels.ts";
import { StartReplay } from "./start-replay.tsx";

const route = getRouteApi("/shell/agents/$agentId/tests/replays");
const PAGE_SIZE = 50;
const POLL_MS = 2_000;

/** The replays of an agent, newest first. */
export function ReplaysPage() {
  const { agentId } = route.useParams();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const [isStarting, setStarting] = useState(false);
  const replays = useQuery({
    ...endpointQuery("listReplays", { id: agentId, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.some(({ status }) => status === "running") ? POLL_MS : false),
  });
  const total = replays.data?.pagination.total ?? 0;
  const start = (
    <Button variant="main" onClick={() => setStarting(true)}>
      Start replay
    </Button>
  );
  return (
    <Page
      isWide
      title="Replays"
      description="Two versions answer real conversations again, and you read the replies beside each other. No tool runs, and nothing is sent."
      actions={total > 0 && start}
    >
      <TestTabs agentId={agentId} />
      {replays.isPending && <SkeletonRows label="Loading replays" />}
      {replays.error && <ErrorState error={replays.error} onRetry={() => void replays.refetch()} />}
      {replays.data && total === 0 && (
        <EmptyState
          title="No replays yet"
          action={start}
          preview={<TablePreview columns={["Versions", "Status", "Cost", "Started"]} />}
        >
          <p>
            Before you publish a change, see what it would have done in conversations that visitors had. Tools answer
            with their recorded results, and you see the price before anything runs.
          </p>
        </EmptyState>
      )}
      {replays.data && total > 0 && <ReplayTable agentId={agentId} replays={replays.data.data} />}
      <Pager
        page={page}
        size={PAGE_SIZE}
        total={total}
        onGo={(next) => navigate({ search: next === 1 ? {} : { page: next } })}
      />
      {isStarting && <StartReplay agent={agent} onClose={() => setStarting(false)} />}
    </Page>
  );
}

function ReplayTable({ agentId, replays }: { agentId: string; replays: readonly ReplaySummary[] }) {
  return (
    <Table
      label="Replays"
      head={
        <>
          <Th>Versions</Th>
          <Th>Status</Th>
          <Th isNumber className="max-sm:hidden">
            Cost
          </Th>
          <Th isNumber className="max-sm:hidden">
            Started
          </Th>
        </>
      }
    >
      {replays.map(({ id, from, to, status, cost, estimate, createdAt }) => (
        <LinkTr key={id}>
          <Td className="w-full">
            <Link
              to="/agents/$agentId/tests/replays/$replayId"
              params={{ agentId, replayId: id }}
              className="font-medium"
            >
              {versionLabel(from)} → {versionLabel(to)}
            </Link>
          </Td>
          <Td>
            <Status tone={statusLabels[status].tone}>{statusLabels[status].name}</Status>
          </Td>
          <Td isNumber className="max-sm:hidden">
            {formatSum(cost, estimate)}
          </Td>
          <Td isNumber className="text-soft max-sm:hidden">
            <Time at={createdAt} />
          </Td>
        </LinkTr>
      ))}
    </Table>
  );
}
