import { useNavigate } from "@tanstack/react-router";
import { TextField } from "../../components/field.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useCall } from "../../data/queries.ts";
import type { StartAgent } from "./start-page.tsx";
import { StepFrame } from "./step-frame.tsx";

/** Makes the agent, or gives the one that is there another name. */
export function NameStep({ agent }: { agent?: StartAgent }) {
  const navigate = useNavigate();
  const make = useCall("createAgent", { changes: ["listAgents"] });
  const rename = useCall("updateAgent", { changes: ["listAgents", "getAgent"] });
  const draft = useDraft({ name: agent?.name ?? "" });
  const submit = () =>
    draft.submit(async (body) => {
      const saved =
        agent && !draft.isDirty
          ? agent
          : await (agent ? rename.mutateAsync({ id: agent.id, body }) : make.mutateAsync({ body }));
      // Back leads out of the guide, not to a second agent.
      await navigate({ to: "/start", search: { agentId: saved.id, step: "know" }, replace: !agent });
    });
  return (
    <form
      ref={draft.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <StepFrame
        title="What is it called?"
        description="Visitors see this name. It can be changed at any time."
        step="name"
        agentId={agent?.id ?? null}
        isBusy={draft.isBusy}
        next={{ label: agent ? "Go on" : "Make the agent", isSubmit: true }}
      >
        <TextField
          {...{ label: "Name", autoComplete: "off", placeholder: "Harbour", autoFocus: true, className: "max-w-sm" }}
          value={draft.values.name}
          onChange={(name) => draft.change({ name })}
          error={draft.errorAt("name")}
        />
      </StepFrame>
    </form>
  );
}
