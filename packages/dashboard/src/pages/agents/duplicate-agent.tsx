import { useNavigate } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { useEndpointMutation } from "../../data/queries.ts";

/** Creates a copy of the agent with its settings, tools, triggers and tests, and opens it. */
export function DuplicateAgent({ agent: { id, name } }: { agent: { id: string; name: string } }) {
  const navigate = useNavigate();
  const duplicate = useEndpointMutation("duplicateAgent", { changes: ["listAgents"], done: `${name} duplicated` });
  const open = (agentId: string) => void navigate({ to: "/agents/$agentId", params: { agentId } });
  return (
    <Button
      isBusy={duplicate.isPending}
      onClick={() => duplicate.mutate({ id }, { onSuccess: (copy) => open(copy.id) })}
    >
      Duplicate
    </Button>
  );
}
