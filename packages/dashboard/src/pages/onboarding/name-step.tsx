import { useNavigate } from "@tanstack/react-router";
import { TextField } from "../../components/field.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useEndpointMutation } from "../../data/queries.ts";
import type { OnboardingAgent } from "./onboarding-steps.ts";
import { StepFrame } from "./step-frame.tsx";
import { useKeepOnLeave } from "./use-keep-on-leave.ts";

/** Creates the agent, or renames the existing one. */
export function NameStep({ agent }: { agent?: OnboardingAgent }) {
  const navigate = useNavigate();
  const make = useEndpointMutation("createAgent", { changes: ["listAgents"] });
  const rename = useEndpointMutation("updateAgent", { changes: ["listAgents", "getAgent"] });
  const draft = useDraft({ name: agent?.name ?? "" });
  const keep = () => draft.submit((_, body) => rename.mutateAsync({ id: agent?.id ?? "", body }));
  const goOn = (agentId: string) =>
    // The browser's Back button leaves onboarding instead of creating a second agent.
    navigate({ to: "/start", search: { agentId, step: "know" }, replace: !agent, ignoreBlocker: true });
  useKeepOnLeave(agent !== undefined && draft.isDirty, keep);
  const submit = async () => {
    if (agent) {
      if (!draft.isDirty || (await keep())) await goOn(agent.id);
      return;
    }
    const widget = { greeting: "Hello. How can I help?" };
    await draft.submit(async (body) => goOn((await make.mutateAsync({ body: { ...body, widget } })).id));
  };
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
        title="Name your agent"
        description="Visitors see this name. You can change it at any time."
        step="name"
        agentId={agent?.id ?? null}
        isBusy={draft.isBusy}
        next={{ label: agent ? "Continue" : "Create agent", isSubmit: true }}
      >
        <TextField
          label="Name"
          autoComplete="off"
          placeholder="Harbour"
          autoFocus
          className="max-w-sm"
          value={draft.values.name}
          onChange={(name) => draft.change({ name })}
          error={draft.errorAt("name")}
        />
      </StepFrame>
    </form>
  );
}
