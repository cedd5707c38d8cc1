import type { Agent } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { AdminFields } from "../../components/admin-fields.tsx";
import { Toggle } from "../../components/field.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { useEndpointMutation } from "../../data/queries.ts";

/** Whether a draft is published only when all tests pass. Without drafts, nothing is published by hand. */
export function PublishRule({ agent: { id, publishing, publishRequiresTests } }: { agent: Agent }) {
  const save = useEndpointMutation("updateAgent", { edits: useAgentEdits(id), done: "Saved" });
  return (
    <div className="grid gap-3">
      <AdminFields>
        <Toggle
          label="Publish only when all tests pass"
          help="Publishing runs each test once with the draft, and stops if one fails. Restoring an earlier version runs no tests."
          value={save.isPending ? save.variables.body.publishRequiresTests === true : publishRequiresTests}
          disabled={save.isPending}
          onChange={(value) => save.mutate({ id, body: { publishRequiresTests: value } })}
        />
      </AdminFields>{" "}
      {publishing === "immediate" && (
        <p className="text-soft">
          Changes of this agent are live as soon as they are saved, so nothing is tested first. To test drafts,{" "}
          <Link to="/agents/$agentId/versions" params={{ agentId: id }} className="underline underline-offset-2">
            publish by hand
          </Link>
          .
        </p>
      )}
    </div>
  );
}
