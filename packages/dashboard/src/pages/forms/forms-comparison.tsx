import type { FormAnalyticsEntry } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { formatPercent } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import type { Range } from "./analytics-days.ts";

/** A table of all forms of the agent. A form's name links to its analytics. */
export function FormsComparison({
  agentId,
  entries,
  range,
  chosenId,
}: {
  agentId: string;
  entries: readonly FormAnalyticsEntry[];
  range: Range;
  chosenId: string;
}) {
  const sorted = entries.toSorted((a, b) => b.impressions - a.impressions || a.toolName.localeCompare(b.toolName));
  return (
    <Section title="All forms">
      <Table
        label="All forms"
        head={
          <>
            <Th className="w-full ps-2">Form</Th>
            <Th isNumber>Shown</Th>
            <Th isNumber>Started</Th>
            <Th isNumber>Submitted</Th>
            <Th isNumber>Failed</Th>
            <Th isNumber className="pe-2">
              Conversion
            </Th>
          </>
        }
      >
        {sorted.map((entry) => (
          <LinkTr key={entry.toolId}>
            <Td className="min-w-32 ps-2">
              <Link
                to="/agents/$agentId/forms/analytics"
                params={{ agentId }}
                search={{ toolId: entry.toolId, range: range.id }}
                aria-current={entry.toolId === chosenId ? "true" : undefined}
                className="aria-[current=true]:font-semibold"
              >
                {toolTitle(entry.toolName)}
              </Link>
            </Td>
            <Td isNumber>{entry.impressions.toLocaleString()}</Td>
            <Td isNumber>{entry.started.toLocaleString()}</Td>
            <Td isNumber>{entry.submitted.toLocaleString()}</Td>
            <Td isNumber>{entry.failed.toLocaleString()}</Td>
            <Td isNumber className="pe-2">
              {formatPercent(entry.conversionRate)}
            </Td>
          </LinkTr>
        ))}
      </Table>
    </Section>
  );
}
