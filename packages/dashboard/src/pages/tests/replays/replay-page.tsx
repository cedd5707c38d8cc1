import type { Replay } from "@foyer/contract";
import { type ReplayOutcome, replayOutcomes } from "@foyer/contract/rules/evaluations";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { BackLink } from "../../../components/back-link.tsx";
import { ButtonLink } from "../../../components/button.tsx";
import { formatCost, isUnknownSum } from "../../../components/cost-text.ts";
import { DeleteSection } from "../../../components/delete-section.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Page, Section } from "../../../components/page.tsx";
import { Pager } from "../../../components/pager.tsx";
import { pluralize } from "../../../components/plural.ts";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { outcomeLabels, statusLabels, versionLabel } from "./replay-labels.ts";
import { ReplayTotals } from "./replay-totals.tsx";
import { TurnPair } from "./turn-pair.tsx";

const route = getRouteApi("/shell/agents/$agentId/tests/replays/$replayId");
const PAGE_SIZE = 20;
const POLL_MS = 1_500;

/** What a replay has found: how many replies differ and how, and the replies beside each other. */
export function ReplayPage() {
  const { agentId, replayId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const outcome = replayOutcomes.find((known) => known === search.outcome);
  const page = search.page ?? 1;
  const replay = useQuery({
    ...endpointQuery("getReplay", {
      id: agentId,
      replayId,
      limit: PAGE_SIZE,
      offset: (page - 1) * PAGE_SIZE,
      ...(outcome ? { outcome } : {}),
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.status === "running" ? POLL_MS : false),
  });
  const { data } = replay;
  const show = (next: { outcome?: ReplayOutcome | undefined; page?: number }) =>
    navigate({
      search: {
        ...(next.outcome ? { outcome: next.outcome } : {}),
        ...(next.page && next.page > 1 ? { page: next.page } : {}),
      },
      resetScroll: false,
    });
  const params = { agentId, replayId };
  return (
    <Page
      isWide
      title={data ? `${versionLabel(data.from)} → ${versionLabel(data.to)}` : "Replay"}
      back={
        <BackLink to="/agents/$agentId/tests/replays" params={{ agentId }}>
          All replays
        </BackLink>
      }
      actions={
        data &&
        countTurns(data) > 0 && (
          <ButtonLink to="/agents/$agentId/tests/replays/$replayId/compare" params={params}>
            Compare blindly
          </ButtonLink>
        )
      }
    >
      {replay.isPending && <SkeletonRows label="Loading replay" />}
      {replay.error && <ErrorState error={replay.error} onRetry={() => void replay.refetch()} />}
      {data && (
        <>
          <Progress replay={data} />
          <ReplayTotals replay={data} />
          <Section title="Replies" description={outcome && outcomeLabels[outcome].line}>
            <SegmentedControl
              isSelectOnPhones
              label="Outcome"
              value={outcome ?? "all"}
              onChange={(value) => show({ outcome: value === "all" ? undefined : value })}
              options={outcomeOptions(data)}
            />
            {data.turns.length === 0 ? (
              <p className="text-soft">
                {data.status === "running" && countTurns(data) === 0
                  ? "The first replies appear here in a moment."
                  : "There are no such replies."}
              </p>
            ) : (
              <ul aria-label="Replies" className="grid grid-cols-[minmax(0,1fr)] border-t border-line">
                {data.turns.map((turn) => (
                  <TurnPair key={turn.messageId} agentId={agentId} replay={data} turn={turn} />
                ))}
              </ul>
            )}
            <Pager
              page={page}
              size={PAGE_SIZE}
              total={data.pagination.total}
              onGo={(next) => show({ outcome, page: next })}
            />
          </Section>
          <DeleteReplay agentId={agentId} replay={data} />
        </>
      )}
    </Page>
  );
}

/** The replies that both versions have written so far. */
function countTurns({ summary: { identical, equal, diverged, failedChecks } }: Pick<Replay, "summary">): number {
  return identical + equal + diverged + failedChecks;
}

function outcomeOptions(replay: Replay) {
  const { identical, equal, diverged, failedChecks } = replay.summary;
  const counts = { identical, equal, diverged, failed_checks: failedChecks };
  return [
    { value: "all" as const, label: `All ${countTurns(replay).toLocaleString()}` },
    ...replayOutcomes.map((value) => ({
      value,
      label: `${outcomeLabels[value].name} ${counts[value].toLocaleString()}`,
    })),
  ];
}

function Progress({ replay }: { replay: Replay }) {
  const { status, problem, estimate, cost, maxCost, summary } = replay;
  const done = countTurns(replay);
  const { tone, name } = statusLabels[status];
  const limit = maxCost === null ? "no limit" : `at most ${formatCost(maxCost, estimate.currency)}`;
  return (
    <section aria-label="Progress" className="mb-6 grid max-w-[720px] gap-2">
      <p role="status" className="flex flex-wrap gap-x-3">
        <Status tone={tone}>{name}</Status>
        <span className="text-soft tabular-nums">
          {pluralize(done, "reply", "replies")} of {estimate.turns.toLocaleString()} ·{" "}
          {isUnknownSum(cost, estimate) ? "unknown cost" : formatCost(cost, estimate.currency)} ({limit})
        </span>
      </p>
      {status === "running" && (
        <progress
          aria-label="Replies"
          value={done}
          max={Math.max(1, estimate.turns)}
          className="h-2 w-full accent-lamp"
        />
      )}
      {problem && <p className="border-s-2 border-wrong ps-3 wrap-anywhere">{problem}</p>}
      {status !== "running" && summary.diverged > 0 && (
        <p className="text-sm text-soft">
          A conversation ends where the replies diverge, so its later replies are missing.
        </p>
      )}
      {summary.baselineDiverged > 0 && (
        <p className="text-sm text-soft">
          The unchanged version made other calls than the recorded ones in{" "}
          {pluralize(summary.baselineDiverged, "reply", "replies")}. Expect as much noise in the changed one.
        </p>
      )}
    </section>
  );
}

function DeleteReplay({ agentId, replay }: { agentId: string; replay: Replay }) {
  const navigate = route.useNavigate();
  const [isOpen, setOpen] = useState(false);
  const remove = useEndpointMutation("deleteReplay", { changes: ["listReplays"], done: "Replay deleted" });
  const isRunning = replay.status === "running";
  const confirm = async () => {
    await remove.mutateAsync({ id: agentId, replayId: replay.id });
    await navigate({ to: "/agents/$agentId/tests/replays", params: { agentId } });
  };
  return (
    <>
      <DeleteSection
        title="Delete replay"
        description={
          isRunning
            ? "Stops the replay and deletes what it has found so far."
            : "The newest 50 replays are kept. What a replay says of a conversation is deleted with the conversation."
        }
        action={isRunning ? "Stop and delete replay" : "Delete replay"}
        onDelete={() => setOpen(true)}
      />
      <ConfirmDialog
        title={isRunning ? "Stop and delete the replay?" : "Delete the replay?"}
        action="Delete replay"
        isOpen={isOpen}
        isBusy={remove.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() => void confirm().catch(() => {})}
      >
        <p>Its replies and the answers of your team are deleted. This cannot be undone.</p>
      </ConfirmDialog>
    </>
  );
}
