import type { ConversationAnalytics } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { formatPercent } from "../../components/day-text.ts";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { type AnalyticsSearch, countAttachments, percentOf } from "./analytics-range.ts";
import { CostCell } from "./cost-cell.tsx";

/** The organization's agents, the busiest first. A row links to the agent's own analytics. */
export function AgentsTable({
  data: { agents, totals, currency },
  range,
}: {
  data: ConversationAnalytics;
  range: AnalyticsSearch;
}) {
  const hasAttachments = countAttachments(totals) > 0;
  const hasCost = totals.cost > 0;
  return (
    <Table
      label="Figures by agent"
      head={
        <>
          <Th>Agent</Th>
          <Th isNumber>Conversations</Th>
          <Th isNumber>Replies</Th>
          <Th isNumber>Failed</Th>
          <Th isNumber>Rated good</Th>
          <Th isNumber>Tokens</Th>
          {hasAttachments && <Th isNumber>Attachments</Th>}
          {hasCost && <Th isNumber>Cost</Th>}
        </>
      }
    >
      {agents.map((agent) => {
        const good = percentOf(agent.ratedUp, agent.ratedUp + agent.ratedDown);
        return (
          <LinkTr key={agent.agentId}>
            <Td>
              <Link
                to="/agents/$agentId/analytics"
                params={{ agentId: agent.agentId }}
                search={range}
                className="font-medium"
              >
                {agent.agentName}
              </Link>
            </Td>
            <Td isNumber>{agent.conversations.toLocaleString()}</Td>
            <Td isNumber>{agent.replies.toLocaleString()}</Td>
            <Td isNumber>{agent.failedReplies.toLocaleString()}</Td>
            <Td isNumber>{good === null ? "–" : formatPercent(good)}</Td>
            <Td isNumber>{(agent.inputTokens + agent.outputTokens).toLocaleString()}</Td>
            {hasAttachments && <Td isNumber>{countAttachments(agent).toLocaleString()}</Td>}
            {hasCost && <CostCell costs={agent} currency={currency} />}
          </LinkTr>
        );
      })}
    </Table>
  );
}
