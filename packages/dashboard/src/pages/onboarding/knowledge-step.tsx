import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { ModelField, SetDefaultModel, useProviderWithoutDefault } from "../agents/model-field.tsx";
import { chosenModel, DEMO_MODEL } from "../agents/model-name.ts";
import { examplePrompt } from "./example-prompt.ts";
import type { OnboardingAgent } from "./onboarding-steps.ts";
import { StepFrame } from "./step-frame.tsx";
import { useKeepOnLeave } from "./use-keep-on-leave.ts";

/** Chooses the model and edits the system prompt. */
export function KnowledgeStep({ agent }: { agent: OnboardingAgent }) {
  const navigate = useNavigate();
  const save = useEndpointMutation("updateAgent", { changes: ["getAgent", "listAgents"] });
  const draft = useDraft({ model: chosenModel(agent), systemPrompt: agent.systemPrompt ?? "" });
  const { values, change, errorAt } = draft;
  const keep = () => draft.submit((_, body) => save.mutateAsync({ id: agent.id, body }));
  useKeepOnLeave(draft.isDirty, keep);
  const submit = async () => {
    if (draft.isDirty && !(await keep())) return;
    await navigate({ to: "/start", search: { agentId: agent.id, step: "try" }, ignoreBlocker: true });
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
        title="What should it know?"
        description={`Choose the model that answers for ${agent.name} and describe what it knows. You can change both at any time.`}
        step="know"
        agentId={agent.id}
        isBusy={draft.isBusy}
        next={{ label: "Continue", isSubmit: true }}
      >
        <ModelChoice value={values.model} onChange={(model) => change({ model })} error={errorAt("model")} />
        <div className="grid gap-2">
          <TextArea
            label="System prompt"
            help="Describe the agent, its tone, the facts it can use, and what to say when it doesn't know. Short lines under headings work best."
            className="min-h-64 leading-6"
            // Keeps the Continue button visible.
            style={{ maxHeight: "20rem" }}
            value={values.systemPrompt}
            onChange={(systemPrompt) => change({ systemPrompt })}
            error={errorAt("systemPrompt")}
          />
          {values.systemPrompt.trim() === "" && (
            <div>
              <Button onClick={() => change({ systemPrompt: examplePrompt(agent.name) })}>
                Start from the bike-shop example
              </Button>
            </div>
          )}
        </div>
      </StepFrame>
    </form>
  );
}

function ModelChoice({
  value,
  onChange,
  error,
}: {
  value: string | null;
  onChange: (model: string | null) => void;
  error: string | undefined;
}) {
  const models = useQuery(endpointQuery("listModels")).data;
  const real = models?.filter(({ id }) => id !== DEMO_MODEL) ?? [];
  const usual = real.find(({ isDefault }) => isDefault) ?? real[0];
  const connected = useProviderWithoutDefault();
  const isDemo = value === DEMO_MODEL || (value === null && models !== undefined && !usual);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 font-medium">Model</legend>
      <Choice name="Demo" isChosen={isDemo} onChoose={() => onChange(DEMO_MODEL)}>
        No API key, no cost, no AI: it looks up the words of the question in the text below. Enough to see how
        everything works.
      </Choice>
      <Choice
        name="An AI model"
        isChosen={!isDemo}
        isDisabled={isDemo && !usual && !connected}
        onChoose={() => onChange(usual?.id ?? `${connected}/`)}
      >
        {connected ? (
          <SetDefaultModel provider={connected} />
        ) : usual || !isDemo ? (
          "Understands questions and writes its own answers. Your provider bills the tokens."
        ) : models ? (
          <>
            No provider connected. Add an API key in{" "}
            <Link to="/settings/models" className="relative underline underline-offset-2">
              Settings
            </Link>
            ; you can switch this agent later.
          </>
        ) : (
          "Loading models…"
        )}
      </Choice>
      {!isDemo && (
        <div className="ps-8">
          <ModelField value={value} onChange={onChange} error={error} />
        </div>
      )}
    </fieldset>
  );
}

function Choice({
  name,
  isChosen,
  isDisabled = false,
  onChoose,
  children,
}: {
  name: string;
  isChosen: boolean;
  isDisabled?: boolean;
  onChoose: () => void;
  children: ReactNode;
}) {
  return (
    <label className="flex cursor-pointer items-start gap-3 rounded-lg border border-line bg-raised px-4 py-3 has-checked:border-ink has-disabled:cursor-default has-disabled:bg-transparent">
      <input
        type="radio"
        name="model-kind"
        aria-label={name}
        checked={isChosen}
        disabled={isDisabled}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-ink"
      />
      <span className="min-w-0">
        <span className="font-medium">{name}</span>
        <span className="block max-w-[60ch] text-soft">{children}</span>
      </span>
    </label>
  );
}
