import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Select, TextArea, TextField } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { ask, queryClient, useCall } from "../../data/queries.ts";
import { AccentField } from "./accent-field.tsx";
import { ListField } from "./list-field.tsx";
import { toDraft, toSettings, type WidgetDraft } from "./widget-draft.ts";
import { WidgetPreview } from "./widget-preview.tsx";

const route = getRouteApi("/shell/agents/$agentId/appearance");

/** How the widget looks and greets, with the widget itself beside it. */
export function AppearancePage() {
  const { agentId } = route.useParams();
  return <Appearance key={agentId} />;
}

function Appearance() {
  const { agentId } = route.useParams();
  const { data: agent } = useSuspenseQuery(ask("getAgent", { id: agentId }));
  const save = useCall("updateAgent", { changes: ["getAgent"], done: "Saved. Pages show it after a reload" });
  const draft = useDraft(toDraft(agent.widget), "widget.");
  const widget = draft.values;
  return (
    <Page title="Appearance" description={`How ${agent.name} looks on your pages and greets visitors.`} isWide>
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[18rem_minmax(0,1fr)] xl:grid-cols-[24rem_minmax(0,1fr)] xl:gap-x-10">
        <form
          ref={draft.form}
          noValidate
          aria-label="Appearance"
          className="grid min-w-0 content-start gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            void draft.submit(async (_, changed) => {
              // The look is saved as a whole: what others changed of it since this page was loaded stays.
              const now = await queryClient.fetchQuery({ ...ask("getAgent", { id: agentId }), staleTime: 0 });
              const widget = toSettings({ ...toDraft(now.widget), ...changed });
              await save.mutateAsync({ id: agentId, body: { widget } });
            });
          }}
        >
          <WidgetFields
            agentName={agent.name}
            widget={widget}
            onChange={draft.change}
            errorAt={(field) => draft.errorAt(`widget.${field}`)}
          />
          <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
        </form>
        <div className="min-w-0 lg:sticky lg:top-8 lg:self-start">
          <WidgetPreview agentId={agentId} name={agent.name} widget={toSettings(widget)} />
        </div>
      </div>
    </Page>
  );
}

type FieldsProps = {
  agentName: string;
  widget: WidgetDraft;
  onChange: (part: Partial<WidgetDraft>) => void;
  errorAt: (field: string) => string | undefined;
};

function WidgetFields({ agentName, widget, onChange, errorAt }: FieldsProps) {
  return (
    <>
      <TextField
        {...{ label: "Title", autoComplete: "off", placeholder: agentName, help: "Shown at the top of the chat." }}
        value={widget.title}
        onChange={(title) => onChange({ title })}
        error={errorAt("title")}
      />
      <TextArea
        {...{ label: "Greeting", placeholder: "Hello. What can I do for you?" }}
        help="Shown before the first message. Supports Markdown."
        value={widget.greeting}
        onChange={(greeting) => onChange({ greeting })}
        error={errorAt("greeting")}
      />
      <ListField
        {...{ label: "Suggestions", itemLabel: "Suggestion", addLabel: "Add suggestion", most: 10 }}
        placeholder="When are you open?"
        emptyText="No suggestions."
        help="Shown as buttons under the greeting. Clicking one asks that question."
        values={widget.suggestions}
        onChange={(suggestions) => onChange({ suggestions })}
        errorAt={(index) => errorAt(`suggestions.${index}`)}
      />
      <TextArea
        {...{ label: "Error message", placeholder: "Sorry, something went wrong. Please try again." }}
        help="Shown when a reply fails or your server can't be reached. You could give a phone number or an email address."
        value={widget.errorMessage}
        onChange={(errorMessage) => onChange({ errorMessage })}
        error={errorAt("errorMessage")}
      />
      <AccentField
        value={widget.accentColor}
        onChange={(accentColor) => onChange({ accentColor })}
        error={errorAt("accentColor")}
      />
      <PlaceFields widget={widget} onChange={onChange} errorAt={errorAt} />
    </>
  );
}

const languages = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["fr", "Français"],
  ["es", "Español"],
  ["it", "Italiano"],
  ["pt", "Português"],
  ["nl", "Nederlands"],
  ["pl", "Polski"],
  ["tr", "Türkçe"],
  ["ar", "العربية"],
  ["ja", "日本語"],
  ["zh", "中文"],
].map(([value = "", label = ""]) => ({ value, label }));

function PlaceFields({ widget, onChange, errorAt }: Omit<FieldsProps, "agentName">) {
  const isListed = widget.locale === "" || languages.some(({ value }) => value === widget.locale);
  return (
    <>
      <Select
        label="Position"
        value={widget.position}
        onChange={(position) => onChange({ position })}
        options={[
          { value: "right", label: "Bottom right" },
          { value: "left", label: "Bottom left" },
        ]}
      />
      <TextField
        {...{ label: "Launcher label", autoComplete: "off", placeholder: "None" }}
        help="Shown next to the icon, such as “Ask us”."
        value={widget.launcherLabel}
        onChange={(launcherLabel) => onChange({ launcherLabel })}
        error={errorAt("launcherLabel")}
      />
      <Select
        label="Interface language"
        help="Labels and buttons. The agent replies in the language of the question."
        value={widget.locale}
        onChange={(locale) => onChange({ locale })}
        error={errorAt("locale")}
        options={[
          { value: "", label: "Automatic: the page's language, then the visitor's" },
          ...languages,
          ...(isListed ? [] : [{ value: widget.locale, label: widget.locale }]),
        ]}
      />
    </>
  );
}
