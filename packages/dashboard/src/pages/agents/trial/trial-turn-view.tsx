import { ChevronRight } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { Status, Tag } from "../../../components/status.tsx";
import { duration, type TrialTool, type TrialTurn } from "./trial-state.ts";

/** A question and its reply: words as they come, tools as they are called, and what it took. */
export function TrialTurnView({
  turn,
  agentName,
  onAgain,
}: {
  turn: TrialTurn;
  agentName: string;
  onAgain: () => void;
}) {
  const isSilent = turn.state === "running" && turn.pieces.length === 0;
  return (
    <article className="grid gap-3">
      <div className="justify-self-end rounded-xl bg-sunken px-3.5 py-2 whitespace-pre-wrap sm:max-w-[85%]">
        <span className="sr-only">You: </span>
        {turn.said}
      </div>
      <div
        className="grid min-w-0 gap-2 border-s-2 border-line ps-3 data-live:border-lamp"
        data-live={turn.state === "running" || undefined}
      >
        <p className="text-sm font-medium">{agentName}</p>
        {turn.pieces.map((piece, index) =>
          piece?.type === "text" ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the reply
            <p key={index} dir="auto" className="whitespace-pre-wrap">
              {piece.text.trim()}
            </p>
          ) : (
            piece && <ToolCall key={piece.id} tool={piece} />
          ),
        )}
        {isSilent && <p className="glow text-soft">Waiting for the first word</p>}
        <TurnEnd turn={turn} onAgain={onAgain} />
      </div>
    </article>
  );
}

function TurnEnd({ turn, onAgain }: { turn: TrialTurn; onAgain: () => void }) {
  if (turn.isReconnecting) return <p className="text-sm text-soft">The connection was lost; it is taken up again.</p>;
  if (turn.state === "running") return null;
  const { startedAt, firstWordAt, endedAt, tokens } = turn;
  const facts = [
    ...(firstWordAt === null ? [] : [`first word after ${duration(firstWordAt - startedAt)}`]),
    ...(endedAt === null ? [] : [`done after ${duration(endedAt - startedAt)}`]),
    ...(tokens ? [`${tokens.toLocaleString()} tokens`] : []),
  ];
  return (
    <>
      {turn.state === "failed" && (
        <>
          <p className="text-wrong">This reply failed. {turn.problem ?? "The model did not say why."}</p>
          <Button className="justify-self-start" onClick={onAgain}>
            Ask again
          </Button>
        </>
      )}
      {turn.state === "stopped" && <p className="text-sm text-soft">Stopped. What was said so far is kept.</p>}
      {turn.state === "cut" && (
        <p className="text-sm text-soft">Ended here: the reply had called tools as often as it may.</p>
      )}
      {turn.state !== "failed" && facts.length > 0 && (
        <p className="text-sm text-soft first-letter:uppercase">{facts.join(" · ")}</p>
      )}
    </>
  );
}

const states = {
  running: { tone: "live", word: "Running" },
  done: { tone: "fine", word: "Answered" },
  failed: { tone: "wrong", word: "Failed" },
} as const;

function ToolCall({ tool }: { tool: TrialTool }) {
  const { tone, word } = states[tool.state];
  const took = tool.endedAt === null ? "" : ` in ${duration(tool.endedAt - tool.startedAt)}`;
  return (
    <details className="group rounded-lg border border-line">
      <summary className="flex min-h-9 flex-wrap items-center gap-x-2 px-2.5 py-1 marker:content-none [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} aria-hidden className="shrink-0 text-soft transition-transform group-open:rotate-90" />
        <code>{tool.name}</code>
        {tool.kind && <Tag>{tool.kind}</Tag>}
        <span className="ms-auto text-sm text-soft">
          <Status tone={tone}>
            {word}
            {took}
          </Status>
        </span>
      </summary>
      <div className="grid gap-2 border-t border-line px-2.5 py-2.5">
        <Json label="Input" value={tool.input} />
        {tool.state !== "running" && <Json label={tool.state === "failed" ? "Error" : "Result"} value={tool.result} />}
        {tool.hasForm && <p className="text-sm text-soft">Visitors see its form here, and can fill it in.</p>}
      </div>
    </details>
  );
}

function Json({ label, value }: { label: string; value: unknown }) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return (
    <div className="grid min-w-0 gap-1">
      <p className="text-sm text-soft">{label}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section tabIndex={0} aria-label={label} className="max-h-64 overflow-auto rounded-md bg-sunken px-2.5 py-2">
        <pre className="whitespace-pre-wrap">{text}</pre>
      </section>
    </div>
  );
}
