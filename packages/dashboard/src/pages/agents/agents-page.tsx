import type { Plan } from "@foyer/contract";
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { TablePreview } from "../../components/empty-previews.tsx";
import { TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { EmptyState, Skeleton } from "../../components/states.tsx";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { modelName } from "./model-name.ts";

/** The number of agents above which the page has a search field. */
const SEARCH_THRESHOLD = 12;

export function AgentsPage() {
  const { data: agents } = useSuspenseQuery(endpointQuery("listAgents"));
  const [text, setText] = useState("");
  if (agents.length === 0) return <NoAgents />;
  const wanted = text.trim().toLowerCase();
  const shown = agents.filter(({ name, model }) => `${name} ${model}`.toLowerCase().includes(wanted));
  return (
    <Page
      isWide
      title="Agents"
      description="Each agent has its own knowledge, tools and appearance. Conversations include your test chats, which analytics leave out."
      actions={
        <ButtonLink variant="main" to="/start">
          Create agent
        </ButtonLink>
      }
    >
      {agents.length > SEARCH_THRESHOLD && (
        <div className="mb-4 max-w-xs">
          <TextField label="Search agents" type="search" value={text} onChange={setText} />
        </div>
      )}
      {shown.length === 0 ? <p className="text-soft">No agents match.</p> : <AgentTable agents={shown} />}
    </Page>
  );
}

function NoAgents() {
  return (
    <Page title="Agents">
      <EmptyState
        title="No agents yet"
        preview={<TablePreview columns={["Name", "Model", "Conversations this month"]} />}
        action={
          <ButtonLink variant="main" to="/start">
            Create agent
          </ButtonLink>
        }
      >
        <p>
          An agent answers your visitors. Give it a name, describe what it should know, and add one line to your site.
          You can start with the built-in demo, without a provider API key.
        </p>
      </EmptyState>
    </Page>
  );
}

type Summary = { id: string; name: string; model: string; createdAt: string };

function AgentTable({ agents }: { agents: readonly Summary[] }) {
  const usage = useQuery(endpointQuery("getPlan"));
  return (
    <Table
      label="Agents"
      head={
        <>
          <Th>Name</Th>
          <Th className="hidden sm:table-cell">Model</Th>
          {!usage.isError && <Th isNumber>Conversations this month</Th>}
          <Th isNumber className="hidden sm:table-cell">
            Created
          </Th>
        </>
      }
    >
      {agents.map(({ id, name, model, createdAt }) => (
        <LinkTr key={id}>
          <Td>
            <Link to="/agents/$agentId" params={{ agentId: id }} className="block max-w-md font-medium">
              {name}
            </Link>
          </Td>
          <Td className="hidden text-soft sm:table-cell">{modelName(model)}</Td>
          {!usage.isError && (
            <Td isNumber>
              <Count usage={usage.data?.usage} agentId={id} />
            </Td>
          )}
          <Td isNumber className="hidden text-soft sm:table-cell">
            <Time at={createdAt} />
          </Td>
        </LinkTr>
      ))}
    </Table>
  );
}

function Count({ usage, agentId }: { usage: Plan["usage"] | undefined; agentId: string }) {
  if (!usage) return <Skeleton className="ms-auto h-4 w-8" />;
  return usage.agents.find(({ id }) => id === agentId)?.conversationsThisMonth.toLocaleString() ?? "0";
}
