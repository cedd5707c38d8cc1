import type { InboxAnalytics, InboxFigureGroup, InboxFigures } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { downloadFile } from "../conversations/save-file.ts";
import { waitText } from "../conversations/waited.tsx";

type Range = { from: string; to: string; agentId?: string };

/** How members and teams have worked on conversations, and what each agent resolved alone. Empty without a handoff. */
export function TeamFigures({ range }: { range: Range }) {
  const { data, error, refetch } = useQuery(endpointQuery("getInboxAnalytics", range));
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data || data.totals.requests === 0) return null;
  return (
    <>
      {data.members.length > 0 && (
        <Section
          title="By member"
          description="Each time is the median, and in parentheses what nine of ten do not exceed. First answers and resolutions count only office hours."
          actions={<CsvButton range={range} group="member" />}
        >
          <FiguresTable label="Figures by member" first="Member" rows={data.members} />
        </Section>
      )}
      {data.teams.length > 0 && (
        <Section title="By team" actions={<CsvButton range={range} group="team" />}>
          <FiguresTable label="Figures by team" first="Team" rows={data.teams} hasTargets />
        </Section>
      )}
      <Section
        title="Agents and people"
        description="Conversations that the agent resolved alone, and requests for a person."
        actions={<CsvButton range={range} group="agent" />}
      >
        <AgentsAlone agents={data.agents} />
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
}: {
  label: string;
  first: string;
  rows: readonly Row[];
  hasTargets?: boolean;
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
        </Tr>
      ))}
    </Table>
  );
}

/** The median, and the time that nine of ten are not longer than. */
function TimeCell({ time: { median, p90 } }: { time: InboxFigures["firstAnswerMs"] }) {
  if (median === null || p90 === null) return <Td isNumber>–</Td>;
  return (
    <Td isNumber className="whitespace-nowrap">
      {waitText(median)} <span className="text-soft">(p90 {waitText(p90)})</span>
    </Td>
  );
}

function targetText({ nextAnswersMet, nextAnswersMissed }: InboxFigures): string {
  const all = nextAnswersMet + nextAnswersMissed;
  return all === 0 ? "–" : `${nextAnswersMet.toLocaleString()} of ${all.toLocaleString()}`;
}

function AgentsAlone({ agents }: { agents: InboxAnalytics["agents"] }) {
  return (
    <Table
      label="Conversations that agents resolved alone"
      head={
        <>
          <Th>Agent</Th>
          <Th isNumber>Conversations</Th>
          <Th isNumber>Resolved alone</Th>
          <Th isNumber>Requests</Th>
        </>
      }
    >
      {agents.map(({ id, name, conversations, resolvedAlone, requests }) => (
        <Tr key={id}>
          <Td className="whitespace-nowrap">{name}</Td>
          <Td isNumber>{conversations.toLocaleString()}</Td>
          <Td isNumber>{resolvedAlone.toLocaleString()}</Td>
          <Td isNumber>{requests.toLocaleString()}</Td>
        </Tr>
      ))}
    </Table>
  );
}

function CsvButton({ range, group }: { range: Range; group: InboxFigureGroup }) {
  const query = new URLSearchParams({ ...range, format: "csv", group });
  return (
    <Button onClick={() => downloadFile(`/inbox/analytics?${query}`)}>
      <Download size={16} aria-hidden />
      Export CSV
    </Button>
  );
}
