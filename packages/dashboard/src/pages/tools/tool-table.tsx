import type { Tool, ToolFailure } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Toggle } from "../../components/field.tsx";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import type { AgentEdits } from "../../data/agent-state.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { FailureLine } from "./failure-note.tsx";
import { toolKinds } from "./tool-kinds.tsx";

/** An agent's tools. A row leads to the tool, and its switch enables or disables it. */
export function ToolTable({ tools, agentId }: { tools: readonly Tool[]; agentId: string }) {
  const failures = useQuery(endpointQuery("listToolErrors", { agentId })).data ?? {};
  // Most agents have no failing tool, and an empty column would raise the question of what belongs there.
  const edits = useAgentEdits(agentId);
  const hasFailures = tools.some(({ id, isEnabled }) => isEnabled && failures[id] !== undefined);
  return (
    <Table
      label="Tools"
      head={
        <>
          <Th>Name</Th>
          <Th className="max-sm:hidden">Kind</Th>
          <Th className="max-md:hidden">Description</Th>
          {hasFailures && <Th className="max-sm:hidden">State</Th>}
          <Th className="w-px text-end">Enabled</Th>
        </>
      }
    >
      {tools.map((tool) => (
        <ToolRow
          key={tool.id}
          tool={tool}
          agentId={agentId}
          edits={edits}
          failure={failures[tool.id]}
          hasState={hasFailures}
        />
      ))}
    </Table>
  );
}

type RowProps = {
  tool: Tool;
  agentId: string;
  edits: AgentEdits;
  failure: ToolFailure | undefined;
  hasState: boolean;
};

function ToolRow({ tool, agentId, edits, failure, hasState }: RowProps) {
  const { id, name, description, executionType, isEnabled } = tool;
  const { icon, name: kind } = toolKinds[executionType];
  const update = useEndpointMutation("updateTool", { edits, changes: ["listTools", "getTool"] });
  // The switch shows the requested state immediately, and returns to the saved one if the call fails.
  const shown = update.isPending ? update.variables.body.isEnabled === true : isEnabled;
  return (
    <LinkTr>
      <Td className="whitespace-nowrap sm:pe-8">
        <Link
          to="/agents/$agentId/tools/$toolId"
          params={{ agentId, toolId: id }}
          className={`font-medium ${shown ? "" : "text-soft"}`}
        >
          {toolTitle(name)}
        </Link>
        <span className="block text-sm text-soft sm:hidden">{failure ? <FailureLine failure={failure} /> : kind}</span>
      </Td>
      <Td className="max-sm:hidden sm:pe-8">
        <span className="inline-flex items-center gap-2 whitespace-nowrap text-soft">
          {icon} {kind}
        </span>
      </Td>
      <Td className="w-full max-w-0 max-md:hidden">
        <p className="truncate text-soft" title={description}>
          {description}
        </p>
      </Td>
      {hasState && <Td className="max-sm:hidden">{shown && <FailureLine failure={failure} />}</Td>}
      <Td className="w-px">
        <div className="flex justify-end">
          <Toggle
            label={`${toolTitle(name)} enabled`}
            isLabelHidden
            value={shown}
            onChange={(isEnabled) => update.mutate({ id, body: { isEnabled } })}
          />
        </div>
      </Td>
    </LinkTr>
  );
}
