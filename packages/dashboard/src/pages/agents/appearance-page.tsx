import type { Agent } from "@foyer/contract";
import { widgetLimits } from "@foyer/contract/rules/limits";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Select, TextArea, TextField, Toggle } from "../../components/field.tsx";
import { languages } from "../../components/languages.ts";
import { Page, Section } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import type { AgentEdits } from "../../data/agent-state.ts";
import { endpointQuery, queryClient, useEndpointMutation } from "../../data/queries.ts";
import { AccentField } from "./accent-field.tsx";
import { type AppearanceFieldsProps, type ImageDraft, ImageFields, LauncherFields } from "./launcher-fields.tsx";
import { ListField } from "./list-field.tsx";
import { PageSuggestionsField } from "./page-suggestions-field.tsx";
import { PrivacyFields } from "./privacy-fields.tsx";
import { useDraftChanges } from "./versions/use-draft-changes.ts";
import { toDraft, toSettings, type WidgetDraft } from "./widget-draft.ts";
import { WidgetPreview } from "./widget-preview.tsx";

const route = getRouteApi("/shell/agents/$agentId/appearance");

/** How the widget looks and greets visitors, next to a live preview. */
export function AppearancePage() {
  const { agentId } = route.useParams();
  return <Appearance key={agentId} />;
}

function Appearance() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const draft = useDraft({ ...toDraft(agent.widget), ...agent.images }, "widget.");
  const hasDraft = useDraftChanges(agent).length > 0;
  const save = useSaveAppearance(agent, useAgentEdits(agentId, draft));
  const { logo, avatar, launcher } = draft.values;
  const fields: AppearanceFieldsProps = {
    values: draft.values,
    onChange: draft.change,
    errorAt: (field) => draft.errorAt(`widget.${field}`),
  };
  return (
    <Page title="Appearance" description={`How ${agent.name} looks on your pages and greets visitors.`} isWide>
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[18rem_minmax(0,1fr)] xl:grid-cols-[24rem_minmax(0,1fr)] xl:gap-x-10">
        <form
          ref={draft.form}
          noValidate
          aria-label="Appearance"
          className="min-w-0"
          onSubmit={(event) => {
            event.preventDefault();
            void draft.submit((_, changed) => save(changed));
          }}
        >
          <Section title="Chat">
            <TextFields {...fields} agentName={agent.name} />
          </Section>
          <Section title="Privacy">
            <PrivacyFields {...fields} />
          </Section>
          <Section title="Branding">
            <ImageFields {...fields} />
            <AccentField
              value={draft.values.accentColor}
              onChange={(accentColor) => draft.change({ accentColor })}
              error={fields.errorAt("accentColor")}
            />
            <Toggle
              label="Use the accent for the visitor's messages"
              value={draft.values.accentMessages}
              onChange={(accentMessages) => draft.change({ accentMessages })}
            />
            <Select
              label="Theme"
              help="Automatic follows the page's color scheme, or the visitor's system if the page has none."
              value={draft.values.theme}
              onChange={(theme) => draft.change({ theme })}
              options={[
                { value: "auto", label: "Automatic" },
                { value: "light", label: "Light" },
                { value: "dark", label: "Dark" },
              ]}
            />
          </Section>
          <Section title="Launcher">
            <LauncherFields {...fields} />
          </Section>
          <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
        </form>
        <div className="min-w-0 lg:sticky lg:top-8 lg:self-start">
          <WidgetPreview
            agentId={agentId}
            hasDraft={hasDraft}
            name={agent.name}
            widget={toSettings(draft.values)}
            images={{ logo, avatar, launcher }}
          />
        </div>
      </div>
    </Page>
  );
}

const imageKinds = ["logo", "avatar", "launcher"] as const;

/** Saves the changed parts. Each image has its own endpoint, and the settings are saved as a whole. */
function useSaveAppearance({ id }: Agent, edits: AgentEdits) {
  const putImage = useEndpointMutation("putAgentImage", { edits });
  const deleteImage = useEndpointMutation("deleteAgentImage", { edits });
  const update = useEndpointMutation("updateAgent", {
    edits,
    done: "Saved. Pages show it after a reload",
  });
  return async (changed: Partial<WidgetDraft & ImageDraft>) => {
    for (const kind of imageKinds) {
      const image = changed[kind];
      if (image) await putImage.mutateAsync({ id, kind, body: { image } });
      else if (image === null) await deleteImage.mutateAsync({ id, kind });
    }
    // Base the change on the current settings, so that it keeps changes that others have made since this page was
    // loaded.
    const now = await queryClient.fetchQuery({ ...endpointQuery("getAgent", { id }), staleTime: 0 });
    const widget = toSettings({ ...toDraft(now.widget), ...changed });
    await update.mutateAsync({ id, body: { widget } });
  };
}

function TextFields({ agentName, values, onChange, errorAt }: AppearanceFieldsProps & { agentName: string }) {
  return (
    <>
      <TextField
        label="Title"
        autoComplete="off"
        placeholder={agentName}
        help="Shown at the top of the chat."
        value={values.title}
        onChange={(title) => onChange({ title })}
        error={errorAt("title")}
      />
      <TextArea
        label="Greeting"
        placeholder="No greeting"
        help="Shown before the first message. Supports Markdown."
        value={values.greeting}
        onChange={(greeting) => onChange({ greeting })}
        error={errorAt("greeting")}
      />
      <ListField
        label="Suggestions"
        itemLabel="Suggestion"
        addLabel="Add suggestion"
        max={widgetLimits.suggestions}
        placeholder="When are you open?"
        emptyText="No suggestions."
        help="Shown as buttons under the greeting. Clicking one asks that question."
        values={values.suggestions}
        onChange={(suggestions) => onChange({ suggestions })}
        errorAt={(index) => errorAt(`suggestions.${index}`)}
      />
      <PageSuggestionsField
        values={values.pageSuggestions}
        onChange={(pageSuggestions) => onChange({ pageSuggestions })}
        errorAt={(path) => errorAt(`pageSuggestions.${path}`)}
      />
      <TextArea
        label="Error message"
        placeholder="Sorry, something went wrong. Please try again."
        help="Shown when a reply fails or your server can't be reached. You could give a phone number or an email address."
        value={values.errorMessage}
        onChange={(errorMessage) => onChange({ errorMessage })}
        error={errorAt("errorMessage")}
      />
      <LanguageField values={values} onChange={onChange} errorAt={errorAt} />
    </>
  );
}

function LanguageField({ values, onChange, errorAt }: AppearanceFieldsProps) {
  const isListed = values.locale === "" || languages.some(({ value }) => value === values.locale);
  return (
    <Select
      label="Interface language"
      help="Labels and buttons. Automatic uses the language of the page, then the visitor's. The agent replies in the language of the question."
      value={values.locale}
      onChange={(locale) => onChange({ locale })}
      error={errorAt("locale")}
      options={[
        { value: "", label: "Automatic" },
        ...languages,
        ...(isListed ? [] : [{ value: values.locale, label: values.locale }]),
      ]}
    />
  );
}
