import type { Replay } from "@foyer/contract";
import { formatSum, isUnknownSum } from "../../../components/cost-text.ts";
import { formatDuration } from "../../../components/duration-text.ts";
import { Section } from "../../../components/page.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { versionLabel } from "./replay-labels.ts";

/** Tokens, cost and time of both versions beside each other, and which replies are preferred. */
export function ReplayTotals({ replay: { from, to, totals, verdicts, modelVerdicts, estimate } }: { replay: Replay }) {
  const { baseline, candidate } = totals;
  const cost = (value: number) => formatSum(value, estimate);
  const hasUnknown = [baseline, candidate].some((one) => isUnknownSum(one.cost, estimate));
  const count = (value: number) => value.toLocaleString();
  const rows = [
    { name: "Tokens", values: [baseline.tokens, candidate.tokens], format: count },
    { name: "Cost", values: [baseline.cost, candidate.cost], format: cost },
    { name: "Time", values: [baseline.durationMs, candidate.durationMs], format: formatDuration },
  ] as const;
  const preferred = [
    { name: "Your team prefers", ...verdicts },
    { name: "The model prefers", ...modelVerdicts },
  ].filter(({ baseline, candidate, tie }) => baseline + candidate + tie > 0);
  return (
    <Section title="Comparison">
      <div className="max-w-[720px]">
        <Table
          label="Comparison"
          head={
            <>
              <Th>
                <span className="sr-only">Figure</span>
              </Th>
              <Th isNumber>{versionLabel(from)}</Th>
              <Th isNumber>{versionLabel(to)}</Th>
              <Th isNumber>Difference</Th>
            </>
          }
        >
          {rows.map(({ name, values: [before, after], format }) => (
            <Tr key={name}>
              <Td>{name}</Td>
              <Td isNumber>{format(before)}</Td>
              <Td isNumber>{format(after)}</Td>
              <Td isNumber>{name === "Cost" && hasUnknown ? "" : describeDifference(before, after)}</Td>
            </Tr>
          ))}
          {preferred.map(({ name, baseline, candidate, tie }) => (
            <Tr key={name}>
              <Td>{name}</Td>
              <Td isNumber>{count(baseline)}</Td>
              <Td isNumber>{count(candidate)}</Td>
              <Td isNumber>{tie === 0 ? "" : `${count(tie)} without a difference`}</Td>
            </Tr>
          ))}
        </Table>
      </div>
    </Section>
  );
}

const percent = new Intl.NumberFormat(undefined, { style: "percent", signDisplay: "exceptZero" });

function describeDifference(before: number, after: number): string {
  if (before === 0) return after === 0 ? percent.format(0) : "";
  return percent.format(after / before - 1);
}
