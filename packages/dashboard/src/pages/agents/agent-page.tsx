import type { Agent } from "@foyer/contract";
import { agentLimits } from "@foyer/contract/rules/limits";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { NumberField, TextArea, TextField, Toggle } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { toSentence, useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { AttachmentsSection } from "./attachments-section.tsx";
import { BudgetSection } from "./budget-section.tsx";
import { DeleteAgent } from "./delete-agent.tsx";
import { DuplicateAgent } from "./duplicate-agent.tsx";
import { FallbackModelsField } from "./fallback-models-field.tsx";
import { dropEmpty } from "./list-field.tsx";
import { ModelField } from "./model-field.tsx";
import { chosenModel } from "./model-name.ts";
import { PlaygroundChat } from "./playground/playground-chat.tsx";
import { VisitorButton } from "./playground/visitor-button.tsx";
import { ProviderBanner } from "./provider-banner.tsx";
import { RatingSection } from "./rating-section.tsx";
import { ReasoningField } from "./reasoning-field.tsx";
import { RetentionSection } from "./retention-section.tsx";
import { useDraftChanges } from "./versions/use-draft-changes.ts";

const route = getRouteApi("/shell/agents/$agentId/");

/** The agent's settings, with a chat to test them. */
export function AgentPage() {
  const { agentId } = route.useParams();
  return <AgentEditor key={agentId} />;
}

function AgentEditor() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { name, systemPrompt, temperature } = agent;
  const draft = useDraft({
    name,
    model: chosenModel(agent),
    fallbackModels: agent.fallbackModels,
    systemPrompt: systemPrompt ?? "",
    temperature: temperature as number | null,
    reasoning: agent.reasoning,
    maxOutputTokens: agent.maxOutputTokens,
    monthlyTokenBudget: agent.monthlyTokenBudget,
    monthlyCostBudget: agent.monthlyCostBudget,
    budgetMessage: agent.budgetMessage ?? "",
    retention: agent.retention,
    followUps: agent.followUps,
    attachments: agent.attachments,
    askRating: agent.askRating,
    ratingQuestion: agent.ratingQuestion ?? "",
  });
  const edits = useAgentEdits(agentId, draft);
  const save = useEndpointMutation("updateAgent", { edits, changes: ["listAgents"], done: "Saved" });
  const draftChanges = useDraftChanges(agent);
  const { values, change, errorAt } = draft;
  // Not `errorAt`, which compares the error with the field of the same index. Empty fields are not sent and not counted.
  const exactErrorAt = (path: string) => {
    const error = draft.errors.find((one) => one.path === path);
    return error && toSentence(error.message);
  };
  return (
    <Page
      title={name}
      description="Its name, model and instructions."
      actions={<DuplicateAgent agent={agent} />}
      isWide
    >
      <ProviderBanner agent={agent} />
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_20rem] xl:grid-cols-[minmax(0,1fr)_27rem] xl:gap-x-10">
        <form
          ref={draft.form}
          noValidate
          aria-label="Agent"
          className="grid min-w-0 content-start gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            void draft.submit((_, { budgetMessage, fallbackModels, ratingQuestion, ...body }) => {
              const message = budgetMessage === undefined ? {} : { budgetMessage: budgetMessage.trim() || null };
              const fallbacks = fallbackModels === undefined ? {} : { fallbackModels: dropEmpty(fallbackModels) };
              const question = ratingQuestion === undefined ? {} : { ratingQuestion: ratingQuestion.trim() || null };
              return save.mutateAsync({ id: agentId, body: { ...body, ...message, ...fallbacks, ...question } });
            });
          }}
        >
          <TextField
            label="Name"
            autoComplete="off"
            help="Visitors see this name."
            value={values.name}
            onChange={(name) => change({ name })}
            error={errorAt("name")}
          />
          <ModelField value={values.model} onChange={(model) => change({ model })} error={errorAt("model")} />
          <FallbackModelsField
            values={values.fallbackModels}
            ownModel={values.model}
            onChange={(fallbackModels) => change({ fallbackModels })}
            errorAt={(index) => exactErrorAt(index === null ? "fallbackModels" : `fallbackModels.${index}`)}
          />
          <TextArea
            label="System prompt"
            help={<PromptHelp length={values.systemPrompt.length} />}
            className="min-h-72 leading-6"
            value={values.systemPrompt}
            onChange={(systemPrompt) => change({ systemPrompt })}
            error={errorAt("systemPrompt")}
          />
          <TemperatureField
            value={values.temperature}
            onChange={(temperature) => change({ temperature })}
            error={errorAt("temperature")}
          />
          <ReasoningField
            value={values.reasoning}
            onChange={(reasoning) => change({ reasoning })}
            error={errorAt("reasoning")}
          />
          <LongestReplyField
            value={values.maxOutputTokens}
            onChange={(maxOutputTokens) => change({ maxOutputTokens })}
            error={errorAt("maxOutputTokens")}
          />
          <FollowUpsToggle value={values.followUps} onChange={(followUps) => change({ followUps })} />
          <AttachmentsSection values={values.attachments} onChange={(attachments) => change({ attachments })} />
          <RatingSection values={values} onChange={change} errorAt={errorAt} />
          <BudgetSection agentId={agentId} values={values} onChange={change} errorAt={errorAt} />
          <RetentionSection
            values={values.retention}
            onChange={(retention) => change({ retention })}
            errorAt={errorAt}
          />
          <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
        </form>
        <PlaygroundChat
          agentId={agentId}
          agentName={name}
          suggestions={agent.widget.suggestions ?? []}
          pageSuggestions={agent.widget.pageSuggestions ?? []}
          besideTitle={(chat) => <VisitorButton chat={chat} />}
          note={playgroundNote(agent, { isDirty: draft.isDirty, hasDraft: draftChanges.length > 0 })}
          className="h-[32rem] lg:sticky lg:top-8 lg:h-[calc(100dvh-9rem)] lg:min-h-96"
        />
      </div>
      <DeleteAgent agent={agent} />
    </Page>
  );
}

/** Which state of the agent the playground talks to, if it is not what visitors get or what the form shows. */
function playgroundNote({ liveVersion }: Agent, { isDirty, hasDraft }: { isDirty: boolean; hasDraft: boolean }) {
  const draft = `Replies use the draft. Visitors get version ${liveVersion}.`;
  if (!isDirty) return hasDraft && draft;
  return `${hasDraft ? draft : "Replies use the last saved version."} Your changes are not saved yet.`;
}

function TemperatureField(field: {
  value: number | null;
  onChange: (value: number | null) => void;
  error: string | undefined;
}) {
  return (
    <NumberField
      {...field}
      label="Temperature"
      min={0}
      max={agentLimits.temperature}
      step={1}
      inputMode="numeric"
      help="0 is most predictable, 100 is most varied. Keep it below 50 for facts and prices."
      className="max-w-28"
    />
  );
}

function LongestReplyField(field: {
  value: number | null;
  onChange: (value: number | null) => void;
  error: string | undefined;
}) {
  return (
    <NumberField
      {...field}
      label="Longest reply (tokens)"
      isOptional
      min={1}
      max={agentLimits.maxOutputTokens}
      step={1}
      inputMode="numeric"
      placeholder="Provider's limit"
      help="The most tokens that the model may write at a time, thoughts included. 1,000 tokens are about 700 English words. A longer reply is cut off there."
      className="max-w-48"
    />
  );
}

function FollowUpsToggle(field: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <Toggle
      {...field}
      label="Follow-up questions"
      help="After each reply, the model suggests up to three questions that visitors can ask with one click. This adds a short model call to each reply."
    />
  );
}

function PromptHelp({ length }: { length: number }) {
  return (
    <>
      Describe the agent, the facts it can use, and what to say when it doesn't know. Sent with every message
      {length > 0 && ` (${length.toLocaleString()} characters)`}.
    </>
  );
}
