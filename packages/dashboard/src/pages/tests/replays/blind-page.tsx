import type { Replay, ReplayTurn } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../../components/back-link.tsx";
import { ButtonLink } from "../../../components/button.tsx";
import { Page } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { api } from "../../../data/api.ts";
import { BlindRounds } from "./blind-rounds.tsx";

const route = getRouteApi("/shell/agents/$agentId/tests/replays/$replayId/compare");

/** The most that the server lists at once. */
const PAGE_SIZE = 200;

/** A member compares differing replies without knowing which version wrote which. */
export function BlindPage() {
  const { agentId, replayId } = route.useParams();
  const rounds = useQuery({
    queryKey: ["blind comparison", agentId, replayId],
    queryFn: ({ signal }) => readUndecided({ id: agentId, replayId }, signal),
    // The replies must not change while they are compared.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const params = { agentId, replayId };
  return (
    <Page
      isWide
      title="Compare blindly"
      description="Which reply is better? You see which version wrote it after you have decided."
      back={
        <BackLink to="/agents/$agentId/tests/replays/$replayId" params={params}>
          Back to the replay
        </BackLink>
      }
    >
      {rounds.isPending && <SkeletonRows label="Loading replies" />}
      {rounds.error && <ErrorState error={rounds.error} onRetry={() => void rounds.refetch()} />}
      {rounds.data?.turns.length === 0 && (
        <div className="grid justify-items-start gap-3">
          <p>There is nothing left to compare: the replies have the same text, or you have decided on all of them.</p>
          <ButtonLink to="/agents/$agentId/tests/replays/$replayId" params={params}>
            Back to the replay
          </ButtonLink>
        </div>
      )}
      {rounds.data && rounds.data.turns.length > 0 && (
        <BlindRounds key={replayId} agentId={agentId} replay={rounds.data.replay} turns={rounds.data.turns} />
      )}
    </Page>
  );
}

/** The turns with differing texts that nobody has decided on. */
async function readUndecided(place: { id: string; replayId: string }, signal: AbortSignal) {
  const turns: ReplayTurn[] = [];
  let replay: Replay;
  let offset = 0;
  do {
    replay = await api.getReplay({ ...place, limit: PAGE_SIZE, offset }, { signal });
    turns.push(...replay.turns.filter(isUndecided));
    offset += PAGE_SIZE;
  } while (offset < replay.pagination.total);
  return { replay, turns };
}

function isUndecided({ baseline, candidate, verdict }: ReplayTurn): boolean {
  const hasBoth = baseline.text.trim() !== "" && candidate.text.trim() !== "";
  return verdict === null && hasBoth && baseline.text !== candidate.text;
}
