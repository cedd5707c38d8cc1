import type { Tool } from "@foyer/contract";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { useEndpointMutation } from "../../data/queries.ts";

/** Creates a copy of the saved tool and opens it. */
export function DuplicateTool({ tool: { id, agentId } }: { tool: Tool }) {
  const navigate = useNavigate();
  const duplicate = useEndpointMutation("duplicateTool", {
    edits: useAgentEdits(agentId),
    changes: ["listTools", "getToolLimits"],
    done: ({ name }) => `Created ${name}`,
  });
  const open = (toolId: string) => void navigate({ to: "/agents/$agentId/tools/$toolId", params: { agentId, toolId } });
  return (
    <Button
      isBusy={duplicate.isPending}
      onClick={() => duplicate.mutate({ id }, { onSuccess: (copy) => open(copy.id) })}
    >
      Duplicate
    </Button>
  );
}
