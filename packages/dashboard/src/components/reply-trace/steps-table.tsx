import type { ReplyTrace, TraceStep } from "@foyer/contract";
import type { ReactNode } from "react";
import { formatCost } from "../cost-text.ts";
import { formatDuration } from "../duration-text.ts";
import { Status } from "../status.tsx";
import { type Bar, stepFacts, stepTitle, toBars, tokenLines } from "./trace-texts.ts";

/** The steps of a reply as bars on one time axis, with their tokens and costs. */
export function StepsTable({ trace: { steps, totals } }: { trace: ReplyTrace }) {
  const bars = toBars(steps);
  return (
    <div className="grid gap-2">
      <table aria-label="Steps of the reply" className="w-full table-fixed border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-start text-soft">
            <Head className="w-[34%]">Step</Head>
            <Head>Time</Head>
            <Head className="w-[31%] pe-0">Tokens and cost</Head>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a reply keep their places
            <tr key={index} className="border-b border-line">
              <Cell>
                <StepName step={step} isSameModel={step.model === findModel(steps.slice(0, index))} />
              </Cell>
              <Cell>
                <StepTime step={step} bar={bars[index]} />
              </Cell>
              <Cell className="pe-0">
                {step.kind === "model" && <TokensAndCost of={step} currency={totals.currency} />}
              </Cell>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" className="py-2 pe-3 text-start align-top font-medium">
              Total
            </th>
            <Cell>{formatDuration(totals.durationMs)}</Cell>
            <Cell className="pe-0">
              <TokensAndCost of={totals} currency={totals.currency} />
            </Cell>
          </tr>
        </tfoot>
      </table>
      <Legend />
    </div>
  );
}

function Head({ className = "", children }: { className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={`h-8 pe-3 text-start font-medium ${className}`}>
      {children}
    </th>
  );
}

function Cell({ className = "", children }: { className?: string; children: ReactNode }) {
  return <td className={`py-2 pe-3 align-top tabular-nums ${className}`}>{children}</td>;
}

const statuses = {
  ok: null,
  error: { tone: "wrong", word: "Failed" },
  timeout: { tone: "wrong", word: "Timed out" },
  aborted: { tone: "warning", word: "Stopped" },
} as const;

function StepName({ step, isSameModel }: { step: TraceStep; isSameModel: boolean }) {
  const status = statuses[step.status];
  const facts = stepFacts(step);
  return (
    <>
      <span className="font-medium">{stepTitle(step)}</span>
      {status && (
        <p>
          <Status tone={status.tone}>{status.word}</Status>
        </p>
      )}
      {step.model && !isSameModel && <p>{step.model}</p>}
      {step.fallbackFrom && !isSameModel && <p className="text-warning">in place of {step.fallbackFrom}</p>}
      {facts && <p className="text-soft first-letter:uppercase">{facts}</p>}
    </>
  );
}

function StepTime({ step: { kind, durationMs, firstTokenMs }, bar }: { step: TraceStep; bar: Bar | undefined }) {
  return (
    <>
      {bar && <TimeBar kind={kind} bar={bar} />}
      <p>{formatDuration(durationMs)}</p>
      {firstTokenMs !== null && <p className="text-soft">first token after {formatDuration(firstTokenMs)}</p>}
    </>
  );
}

/** A model's bar is pale until its first token, which a line marks. The text below it has the same times. */
function TimeBar({ kind, bar: { start, width, firstToken } }: { kind: TraceStep["kind"]; bar: Bar }) {
  return (
    <div aria-hidden className="mt-1 mb-1.5 h-3 rounded-[2px] bg-sunken">
      <div
        data-fill
        className={`relative h-full min-w-[2px] rounded-[2px] ${kind === "tool" ? "bg-lamp" : "bg-ink/85"}`}
        style={{
          marginInlineStart: `${Math.min(start, 99)}%`,
          width: `${Math.min(width, 100 - Math.min(start, 99))}%`,
        }}
      >
        {firstToken !== null && (
          <div
            data-fill="var(--edge)"
            className="h-full rounded-s-[2px] border-e-2 border-ink bg-edge"
            style={{ width: `${firstToken}%` }}
          />
        )}
      </div>
    </div>
  );
}

function Legend() {
  return (
    <p aria-hidden className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
      {[
        ["bg-edge", "Waiting for the first token"],
        ["bg-ink/85", "Model writes"],
        ["bg-lamp", "Tool runs"],
      ].map(([fill, name]) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span className={`size-2.5 rounded-[2px] ${fill}`} />
          {name}
        </span>
      ))}
    </p>
  );
}

type Costs = Parameters<typeof tokenLines>[0] & { cost: number | null };

function TokensAndCost({ of, currency }: { of: Costs; currency: string }) {
  return (
    <>
      {tokenLines(of).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {of.cost === null ? <p className="text-soft">cost unknown</p> : <p>{formatCost(of.cost, currency)}</p>}
    </>
  );
}

const findModel = (steps: readonly TraceStep[]) => steps.findLast(({ model }) => model !== null)?.model ?? null;
