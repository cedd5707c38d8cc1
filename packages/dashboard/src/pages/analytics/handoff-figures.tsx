import type { HandoffAnalytics, HandoffCause } from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "../../components/button.tsx";
import { formatPercent } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { EmptyState } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { waitText } from "../conversations/waited.tsx";
import { percentOf } from "./analytics-range.ts";
import { Total, TotalList } from "./totals.tsx";

const causes: Record<HandoffCause, string> = {
  visitor: "The visitor asked",
  agent: "The agent asked",
  rating: "Bad ratings",
  failed_tools: "Failed tool calls",
  failed_reply: "Failed replies",
  custom_event: "An event of the page",
  member: "A member took over without a request",
};

/** How often, why and how fast conversations were handed over to people. */
export function HandoffFigures({ handoffs, agentId }: { handoffs: HandoffAnalytics; agentId: string }) {
  const agent = useQuery({ ...endpointQuery("getAgent", { id: agentId }), enabled: handoffs.count === 0 }).data;
  if (handoffs.count === 0) {
    return (
      <EmptyState
        title="No conversations were handed over in this period"
        action={
          <ButtonLink to="/agents/$agentId/handoff" params={{ agentId }}>
            {agent?.handoff.isEnabled ? "Handoff settings" : "Set up handoff"}
          </ButtonLink>
        }
      >
        When visitors request a person or your team takes over, this section shows how often and why, and how long
        visitors wait for an answer.
      </EmptyState>
    );
  }
  return (
    <Section
      title="Handed over to people"
      description="By the day of the request, in UTC. Waiting times are means and exclude takeovers without a request."
    >
      <HandoffTotals handoffs={handoffs} />
      <AnswerTimes times={handoffs.answerTimes} />
      <CausesTable causes={handoffs.causes} />
    </Section>
  );
}

function HandoffTotals({ handoffs }: { handoffs: HandoffAnalytics }) {
  const { count, rate, requested, taken, answered, inTime, waitMs, answerMs } = handoffs;
  const requests = requested === 1 ? "1 request" : `${requested.toLocaleString()} requests`;
  return (
    <TotalList>
      <Total
        name="Handed over"
        value={count.toLocaleString()}
        note={rate === null ? "" : `${formatPercent(rate)} of conversations`}
      />
      <Total name="Taken" value={taken.toLocaleString()} note={`of ${requests}`} />
      <Total name="Wait until taken" value={formatTime(waitMs)} note="on average" />
      <Total name="Wait for an answer" value={formatTime(answerMs)} note="on average" />
      <Total
        name="Answered in time"
        value={formatShare(inTime, answered)}
        note={`${answered.toLocaleString()} of ${requests} answered`}
      />
    </TotalList>
  );
}

/** How many requests were answered in which time. The table has the same figures as text. */
function AnswerTimes({ times }: { times: HandoffAnalytics["answerTimes"] }) {
  const answered = times.reduce((sum, { count }) => sum + count, 0);
  if (answered === 0) return null;
  const max = Math.max(...times.map(({ count }) => count));
  return (
    <Table
      label="Requests by the time to the first answer"
      head={
        <>
          <Th>First answer</Th>
          <Th isNumber>Requests</Th>
          <Th isNumber>Share</Th>
          <Th>
            <span className="sr-only">Bar</span>
          </Th>
        </>
      }
    >
      {times.map(({ maxMs, count }) => (
        <Tr key={maxMs}>
          <Td className="whitespace-nowrap">{rangeText(maxMs)}</Td>
          <Td isNumber>{count.toLocaleString()}</Td>
          <Td isNumber>{formatShare(count, answered)}</Td>
          <Td className="w-1/2 sm:w-2/3">
            <div
              aria-hidden
              data-fill
              className="h-3 rounded-[2px] bg-ink/85"
              style={{ width: `${(count / max) * 100}%` }}
            />
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

/** The ranges follow each other, so each is named by its longest time. */
function rangeText(maxMs: number | null): string {
  if (maxMs === null) return "Later";
  const minutes = maxMs / MINUTE_MS;
  return minutes < 60 ? `Within ${minutes} min` : `Within ${minutes / 60} h`;
}

function CausesTable({ causes: rows }: { causes: HandoffAnalytics["causes"] }) {
  return (
    <Table
      label="Handed over by cause"
      head={
        <>
          <Th>Cause</Th>
          <Th isNumber>Handed over</Th>
          <Th isNumber>Of conversations</Th>
          <Th isNumber>Taken</Th>
          <Th isNumber>Answered</Th>
          <Th isNumber>In time</Th>
          <Th isNumber>Wait until taken</Th>
          <Th isNumber>Wait for an answer</Th>
        </>
      }
    >
      {rows.map(({ cause, count, rate, taken, answered, inTime, waitMs, answerMs }) => (
        <Tr key={cause}>
          <Td className="whitespace-nowrap">{causes[cause]}</Td>
          <Td isNumber>{count.toLocaleString()}</Td>
          <Td isNumber>{rate === null ? "–" : formatPercent(rate)}</Td>
          <Td isNumber>{taken.toLocaleString()}</Td>
          <Td isNumber>{answered.toLocaleString()}</Td>
          <Td isNumber>{cause === "member" ? "–" : formatShare(inTime, answered)}</Td>
          <Td isNumber className="whitespace-nowrap">
            {formatTime(waitMs)}
          </Td>
          <Td isNumber className="whitespace-nowrap">
            {formatTime(answerMs)}
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

function formatTime(ms: number | null): string {
  return ms === null ? "–" : waitText(ms);
}

function formatShare(part: number, whole: number): string {
  const percent = percentOf(part, whole);
  return percent === null ? "–" : formatPercent(percent);
}
