import type { Replay, ReplayTurn, ReplayVerdict } from "@foyer/contract";
import { useEffect, useRef, useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { refresh, useEndpointMutation } from "../../../data/queries.ts";
import { versionLabel } from "./replay-labels.ts";
import { Question, RunContent } from "./turn-pair.tsx";

/** A pair of replies, and whether the changed version is on the left. */
type Round = { turn: ReplayTurn; isSwapped: boolean };

const keys = ["1", "2", "0"] as const;
type Key = (typeof keys)[number];

/** Shows the pairs one after another, on shuffled sides, and stores what the member prefers. */
export function BlindRounds({
  agentId,
  replay,
  turns,
}: {
  agentId: string;
  replay: Replay;
  turns: readonly ReplayTurn[];
}) {
  const [rounds] = useState(() => turns.map((turn): Round => ({ turn, isSwapped: Math.random() < 0.5 })));
  const [verdicts, setVerdicts] = useState<readonly ReplayVerdict[]>([]);
  const [at, setAt] = useState(0);
  const store = useEndpointMutation("putReplayVerdict");
  const round = rounds[at];
  const verdict = verdicts[at];
  // The numbers of the replay's page have changed.
  useEffect(() => () => void refresh("getReplay"), []);

  const decide = (key: Key) => {
    if (!round || verdict || store.isPending) return;
    const decided = toVerdict(key, round.isSwapped);
    const { messageId } = round.turn;
    store.mutate(
      { id: agentId, replayId: replay.id, messageId, body: { verdict: decided } },
      { onSuccess: () => setVerdicts((before) => [...before, decided]) },
    );
  };
  useKeys(decide);

  const names = { baseline: versionLabel(replay.from), candidate: versionLabel(replay.to) };
  if (!round) return <Result agentId={agentId} replayId={replay.id} verdicts={verdicts} names={names} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <p className="text-soft tabular-nums">
        Pair {at + 1} of {rounds.length}
      </p>
      <Question text={round.turn.question} />
      <div className="grid gap-4 md:grid-cols-2">
        {([1, 2] as const).map((number) => {
          const side = (number === 1) === round.isSwapped ? "candidate" : "baseline";
          return (
            <section
              key={number}
              aria-label={`Reply ${number}`}
              className={`grid content-start gap-2 rounded-lg border p-4 ${verdict === side ? "border-ink bg-selected" : "border-line bg-raised"}`}
            >
              <h2 className="font-medium">
                Reply {number}
                {/* Keeps its place, so that nothing moves when the version appears. */}
                <span className="ms-2 font-normal text-soft">{verdict ? names[side] : "\u00a0"}</span>
              </h2>
              <RunContent run={round.turn[side]} />
            </section>
          );
        })}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {verdict ? (
          <NextButton isLast={at === rounds.length - 1} onClick={() => setAt(at + 1)} />
        ) : (
          keys.map((key) => (
            <Button key={key} isBusy={store.isPending} aria-keyshortcuts={key} onClick={() => decide(key)}>
              <kbd aria-hidden className="rounded-md border border-line px-1.5 font-sans text-sm text-soft">
                {key}
              </kbd>
              {key === "0" ? "No difference" : `Reply ${key} is better`}
            </Button>
          ))
        )}
        <p role="status">{verdict && describe(verdict, names)}</p>
      </div>
    </div>
  );
}

type Names = { baseline: string; candidate: string };

function toVerdict(key: Key, isSwapped: boolean): ReplayVerdict {
  if (key === "0") return "tie";
  return (key === "1") === isSwapped ? "candidate" : "baseline";
}

function describe(verdict: ReplayVerdict, names: Names): string {
  return verdict === "tie" ? "Saved: no difference." : `Saved: you prefer ${names[verdict]}.`;
}

/** Has the focus, so that Enter continues. */
function NextButton({ isLast, onClick }: { isLast: boolean; onClick: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <Button ref={button} variant="main" onClick={onClick}>
      {isLast ? "Show result" : "Next pair"}
    </Button>
  );
}

/** Decides with the keys 1, 2 and 0. */
function useKeys(decide: (key: Key) => void) {
  const latest = useRef(decide);
  latest.current = decide;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = keys.find((known) => known === event.key);
      if (!key || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      // Such as the field of the search, which opens above the page.
      if (event.target instanceof Element && event.target.closest("input, select, textarea, [role=dialog]")) return;
      event.preventDefault();
      latest.current(key);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

function Result({
  agentId,
  replayId,
  verdicts,
  names,
}: {
  agentId: string;
  replayId: string;
  verdicts: readonly ReplayVerdict[];
  names: Names;
}) {
  const count = (wanted: ReplayVerdict) => verdicts.filter((verdict) => verdict === wanted).length;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="grid justify-items-start gap-4">
      <h2 ref={heading} tabIndex={-1} className="text-lg outline-none">
        All pairs compared
      </h2>
      <dl className="grid gap-2">
        {(
          [
            [names.candidate, count("candidate")],
            [names.baseline, count("baseline")],
            ["No difference", count("tie")],
          ] as const
        ).map(([name, number]) => (
          <div key={name} className="flex gap-4">
            <dt className="w-40 text-soft">{name}</dt>
            <dd className="tabular-nums">{number}</dd>
          </div>
        ))}
      </dl>
      <ButtonLink variant="main" to="/agents/$agentId/tests/replays/$replayId" params={{ agentId, replayId }}>
        Back to the replay
      </ButtonLink>
    </div>
  );
}
