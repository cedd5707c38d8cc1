import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { NumberField, TextArea, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { ask, useCall } from "../../data/queries.ts";
import { DeleteAgent } from "./delete-agent.tsx";
import { ModelField } from "./model-field.tsx";
import { TrialChat } from "./trial/trial-chat.tsx";

const route = getRouteApi("/shell/agents/$agentId/");

/** What the agent is and knows, with the chat beside it. */
export function AgentPage() {
  const { agentId } = route.useParams();
  return <AgentEditor key={agentId} />;
}

function AgentEditor() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(ask("getAgent", { id: agentId }));
  const save = useCall("updateAgent", { changes: ["getAgent", "listAgents"], done: "Saved" });
  const { name, model, systemPrompt, temperature } = agent;
  const draft = useDraft({ name, model, systemPrompt: systemPrompt ?? "", temperature: temperature as number | null });
  const { values, change, errorAt } = draft;
  return (
    <Page title={name} description="What it is called, what it knows, and which model speaks." isWide>
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_27rem] xl:gap-x-10">
        <form
          ref={draft.form}
          noValidate
          aria-label="Agent"
          className="grid min-w-0 content-start gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            void draft.submit((_, body) => save.mutateAsync({ id: agentId, body }));
          }}
        >
          <TextField
            {...{ label: "Name", autoComplete: "off", help: "Visitors see it." }}
            value={values.name}
            onChange={(name) => change({ name })}
            error={errorAt("name")}
          />
          <ModelField value={values.model} onChange={(model) => change({ model })} error={errorAt("model")} />
          <TextArea
            label="System prompt"
            help={<PromptHelp length={values.systemPrompt.length} />}
            className="min-h-72 leading-6"
            value={values.systemPrompt}
            onChange={(systemPrompt) => change({ systemPrompt })}
            error={errorAt("systemPrompt")}
          />
          <NumberField
            {...{ label: "Temperature", min: 0, max: 100, step: 1, inputMode: "numeric" }}
            help="From 0, always the likeliest words, to 100, most varied. Facts and prices are safer below 50."
            className="max-w-28"
            value={values.temperature}
            onChange={(temperature) => change({ temperature })}
            error={errorAt("temperature")}
          />
          <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
        </form>
        <TrialChat
          agentId={agentId}
          agentName={name}
          suggestions={agent.widget.suggestions ?? []}
          note={draft.isDirty && "Your changes are not saved yet: these replies come from what is."}
          className="h-[32rem] lg:sticky lg:top-8 lg:h-[calc(100dvh-9rem)] lg:min-h-96"
        />
      </div>
      <DeleteAgent agent={agent} />
    </Page>
  );
}

function PromptHelp({ length }: { length: number }) {
  return (
    <>
      Who it is, the facts it may use, and what to do when they do not answer the question. It is sent with every
      message
      {length > 0 && `, now ${length.toLocaleString()} characters`}.
    </>
  );
}
