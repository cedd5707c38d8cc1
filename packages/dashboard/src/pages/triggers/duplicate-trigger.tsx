import type { Output } from "@foyer/sdk";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { useEndpointMutation } from "../../data/queries.ts";

/** Creates a disabled copy of the saved trigger and opens it. */
export function DuplicateTrigger({ trigger: { id, agentId } }: { trigger: Output<"getTrigger"> }) {
  const navigate = useNavigate();
  const duplicate = useEndpointMutation("duplicateTrigger", {
    edits: useAgentEdits(agentId),
    changes: ["listTriggers"],
    done: ({ name }) => `Created ${name}. It is disabled.`,
  });
  const open = (triggerId: string) =>
    void navigate({ to: "/agents/$agentId/triggers/$triggerId", params: { agentId, triggerId } });
  return (
    <Button
      isBusy={duplicate.isPending}
      onClick={() => duplicate.mutate({ id }, { onSuccess: (copy) => open(copy.id) })}
    >
      Duplicate
    </Button>
  );
}
