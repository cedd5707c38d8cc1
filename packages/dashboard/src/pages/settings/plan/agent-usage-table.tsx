import type { AgentUsage } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { pluralize } from "../../../components/plural.ts";
import { EmptyState } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Meter } from "./meter.tsx";

const AT_ONCE = 50;
const number = new Intl.NumberFormat();

/** The usage of each agent this month, highest first. */
export function AgentUsageTable({ agents, toolsPerAgent }: { agents: AgentUsage[]; toolsPerAgent: number | null }) {
  const [count, setCount] = useState(AT_ONCE);
  const sorted = agents.toSorted((a, b) => b.tokensThisMonth - a.tokensThisMonth);
  if (agents.length === 0) {
    return (
      <EmptyState
        title="No usage yet"
        preview={<TablePreview columns={["Agent", "Tokens", "Conversations", "Submissions"]} />}
        action={
          <ButtonLink variant="main" to="/start">
            Create agent
          </ButtonLink>
        }
      >
        This page shows tokens, conversations and form submissions once an agent talks to visitors.
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Usage of each agent"
        head={
          <>
            <Th>Agent</Th>
            <Th className="w-40 sm:w-56">Tokens</Th>
            <Th isNumber className="hidden sm:table-cell">
              Conversations
            </Th>
            <Th isNumber className="hidden sm:table-cell">
              Form submissions
            </Th>
            <Th isNumber className="hidden pe-0 sm:table-cell">
              Tools
            </Th>
          </>
        }
      >
        {sorted.slice(0, count).map((agent) => (
          <UsageRow key={agent.id} agent={agent} toolsPerAgent={toolsPerAgent} />
        ))}
      </Table>
      <p className="text-sm text-soft">Conversations include test chats, which analytics leave out.</p>
      {sorted.length > count && (
        <Button className="justify-self-start" onClick={() => setCount(sorted.length)}>
          Show all {number.format(sorted.length)}
        </Button>
      )}
    </>
  );
}

function UsageRow({ agent, toolsPerAgent }: { agent: AgentUsage; toolsPerAgent: number | null }) {
  const { id, name, tools, conversationsThisMonth: conversations, submissionsThisMonth: submissions } = agent;
  return (
    <Tr>
      <Td className="min-w-28">
        <Link to="/agents/$agentId" params={{ agentId: id }} className="font-medium underline-offset-2 hover:underline">
          {name}
        </Link>
        <div className="text-sm text-soft sm:hidden">
          {pluralize(conversations, "conversation")}, {pluralize(submissions, "form submission")}
        </div>
      </Td>
      <Td>
        <Tokens {...agent} />
      </Td>
      <Td isNumber className="hidden sm:table-cell">
        {number.format(conversations)}
      </Td>
      <Td isNumber className="hidden sm:table-cell">
        {number.format(submissions)}
      </Td>
      <Td isNumber className="hidden pe-0 sm:table-cell">
        {tools}
        {toolsPerAgent !== null && <span className="text-soft"> of {toolsPerAgent}</span>}
      </Td>
    </Tr>
  );
}

/**
 * Token usage. Warns when an agent's budget is almost used up, because visitors then get its message instead of
 * replies.
 */
function Tokens({ name, tokensThisMonth: used, monthlyTokenBudget: budget }: AgentUsage) {
  if (budget === null) {
    return (
      <>
        {number.format(used)} <span className="text-sm text-soft">no budget</span>
      </>
    );
  }
  const isSpent = used >= budget;
  return (
    <>
      {number.format(used)} <span className="text-soft">of {number.format(budget)}</span>
      {isSpent && <span className="text-sm text-wrong"> Used up</span>}
      {!isSpent && used >= budget * 0.8 && <span className="text-sm text-warning"> Almost used up</span>}
      <Meter label={`Tokens of ${name}`} value={used} max={budget} />
    </>
  );
}
