import type { InboxAnalytics, InboxFigureGroup, InboxFigures } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { formatPercent } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { downloadFile } from "../conversations/save-file.ts";
import { ConversationRatings } from "./conversation-ratings.tsx";
import { MeanCell, RatingCells, RatingHeads, TimeCell } from "./figure-cells.tsx";
import { RequestTimes } from "./request-times.tsx";

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();

type Range = { from: string; to: string; agentId?: string };

/**
 * How visitors rated conversations, how members and teams have worked on them, and what each agent did not hand over. Empty
 * without a rating and a request for a person.
 */
export function TeamFigures({ range }: { range: Range }) {
  const { data, error, refetch } = useQuery(endpointQuery("getInboxAnalytics", { ...range, timeZone }));
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  const { totals, ratingAlone } = data;
  const isAsked = totals.rating.asked + ratingAlone.asked > 0;
  if (totals.requests === 0 && !isAsked) return null;
  return (
    <>
      {isAsked && <ConversationRatings ofPeople={totals.rating} alone={ratingAlone} />}
      {data.members.length > 0 && (
        <Section
          title="By member"
          description="Each time is the median, and in parentheses what nine of ten do not exceed. Only office hours count."
          actions={<CsvButton range={range} group="member" />}
        >
          <FiguresTable label="Figures by member" first="Member" rows={data.members} hasRatings={isAsked} />
        </Section>
      )}
      {data.teams.length > 0 && (
        <Section title="By team" actions={<CsvButton range={range} group="team" />}>
          <FiguresTable label="Figures by team" first="Team" rows={data.teams} hasTargets hasRatings={isAsked} />
        </Section>
      )}
      {totals.requests > 0 && (
        <Section
          title="Requests by time"
          description="Requests for a person by the hour, in your time zone, and by the day in UTC."
          actions={
            <>
              <CsvButton range={range} group="day" label="Export days as CSV" />
              <CsvButton range={range} group="hour" label="Export hours as CSV" />
            </>
          }
        >
          <RequestTimes hours={data.hours} days={data.days} hasRatings={isAsked} />
        </Section>
      )}
      <Section
        title="Agents and people"
        description={`Conversations that the agent did not hand over, whatever their outcome, and those that it handed over to people.${isAsked ? " Ratings are means, with their number." : ""}`}
        actions={<CsvButton range={range} group="agent" />}
      >
        <AgentsAlone agents={data.agents} hasRatings={isAsked} />
      </Section>
    </>
  );
}

type Row = InboxFigures & { id: string; name: string };

function FiguresTable({
  label,
  first,
  rows,
  hasTargets = false,
  hasRatings,
}: {
  label: string;
  first: string;
  rows: readonly Row[];
  hasTargets?: boolean;
  hasRatings: boolean;
}) {
  return (
    <Table
      label={label}
      head={
        <>
          <Th>{first}</Th>
          <Th isNumber>Requests</Th>
          <Th isNumber>Answered</Th>
          <Th isNumber>Reopened</Th>
          <Th isNumber>First answer</Th>
          <Th isNumber>Handling</Th>
          <Th isNumber>Resolution</Th>
          {hasTargets && <Th isNumber>Next answers in time</Th>}
          {hasRatings && <RatingHeads />}
        </>
      }
    >
      {rows.map((row) => (
        <Tr key={row.id}>
          <Td className="whitespace-nowrap">{row.name}</Td>
          <Td isNumber>{row.requests.toLocaleString()}</Td>
          <Td isNumber>{row.answered.toLocaleString()}</Td>
          <Td isNumber>{row.reopened.toLocaleString()}</Td>
          <TimeCell time={row.firstAnswerMs} />
          <TimeCell time={row.handlingMs} />
          <TimeCell time={row.resolutionMs} />
          {hasTargets && <Td isNumber>{targetText(row)}</Td>}
          {hasRatings && <RatingCells rating={row.rating} />}
        </Tr>
      ))}
    </Table>
  );
}

function targetText({ nextAnswersMet, nextAnswersMissed }: InboxFigures): string {
  const all = nextAnswersMet + nextAnswersMissed;
  return all === 0 ? "–" : `${nextAnswersMet.toLocaleString()} of ${all.toLocaleString()}`;
}

function AgentsAlone({ agents, hasRatings }: { agents: InboxAnalytics["agents"]; hasRatings: boolean }) {
  return (
    <Table
      label="Conversations that agents did not hand over"
      head={
        <>
          <Th>Agent</Th>
          <Th isNumber>Conversations</Th>
          <Th isNumber>Not handed over</Th>
          {hasRatings && <Th isNumber>Rating without people</Th>}
          <Th isNumber>Handed over</Th>
          {hasRatings && <Th isNumber>Rating with people</Th>}
          <Th isNumber>Requests</Th>
        </>
      }
    >
      {agents.map((row) => (
        <Tr key={row.id}>
          <Td className="whitespace-nowrap">{row.name}</Td>
          <Td isNumber>{row.conversations.toLocaleString()}</Td>
          <Td isNumber className="whitespace-nowrap">
            {row.notHandedOver.toLocaleString()}
            {row.notHandedOverRate !== null && (
              <span className="text-soft"> ({formatPercent(row.notHandedOverRate)})</span>
            )}
          </Td>
          {hasRatings && <MeanCell rating={row.ratingAlone} />}
          <Td isNumber>{row.handedOver.toLocaleString()}</Td>
          {hasRatings && <MeanCell rating={row.rating} />}
          <Td isNumber>{row.requests.toLocaleString()}</Td>
        </Tr>
      ))}
    </Table>
  );
}

function CsvButton({ range, group, label = "Export CSV" }: { range: Range; group: InboxFigureGroup; label?: string }) {
  const query = new URLSearchParams({ ...range, timeZone, format: "csv", group });
  return (
    <Button onClick={() => downloadFile(`/inbox/analytics?${query}`)}>
      <Download size={16} aria-hidden />
      {label}
    </Button>
  );
}
