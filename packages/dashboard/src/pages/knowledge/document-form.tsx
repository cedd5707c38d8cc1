import type { DocumentDetail } from "@foyer/contract";
import { useMemo } from "react";
import { Select, TextArea, TextField, Toggle } from "../../components/field.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { useDraft } from "../../components/use-draft.ts";
import { queryClient, useEndpointMutation } from "../../data/queries.ts";
import { toChanges, toDraft } from "./document-draft.ts";
import { FaqFields } from "./faq-fields.tsx";
import { originalKey } from "./original-text.ts";

const citationOptions = [
  { value: "link", label: "Title and link" },
  { value: "title", label: "Title only" },
  { value: "hidden", label: "Nothing" },
] as const;

/** Edits the settings of a document, and its content if it was written in the dashboard. */
export function DocumentForm({ document, original }: { document: DocumentDetail; original: string }) {
  const { id, kind } = document;
  const draft = useDraft(useMemo(() => toDraft(document, original), [document, original]));
  const update = useEndpointMutation("updateDocument", { changes: ["listDocuments", "getDocument"], done: "Saved" });
  const { values, change, errorAt } = draft;
  return (
    <form
      ref={draft.form}
      noValidate
      className="grid max-w-2xl gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void draft.submit(async (_, changed) => {
          await update.mutateAsync({ id, body: toChanges(changed) });
          await queryClient.invalidateQueries({ queryKey: originalKey(id) });
        });
      }}
    >
      <Content kind={kind} draft={draft} />
      <Select
        label="Show in citations"
        value={values.citation}
        options={citationOptions}
        onChange={(citation) => change({ citation })}
        error={errorAt("citation")}
      />
      <Toggle
        label="Enabled"
        help="The agent uses only enabled documents."
        value={values.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
      <SaveBar isDirty={draft.isDirty} isBusy={draft.isBusy} onDiscard={() => draft.reset()} />
    </form>
  );
}

type Draft = ReturnType<typeof useDraft<ReturnType<typeof toDraft>>>;

function Content({
  kind,
  draft: { values, change, errorAt },
}: {
  kind: DocumentDetail["kind"];
  draft: Pick<Draft, "values" | "change" | "errorAt">;
}) {
  if (kind === "faq") return <FaqFields values={values} change={change} errorAt={errorAt} />;
  return (
    <>
      <TextField
        label="Title"
        help={
          kind === "text" ? undefined : "Titles are searchable, so changing the title processes the document again."
        }
        value={values.title}
        onChange={(title) => change({ title })}
        error={errorAt("title")}
      />
      {kind === "page" && (
        <TextField
          label="Address"
          type="url"
          value={values.url}
          onChange={(url) => change({ url })}
          error={errorAt("url")}
        />
      )}
      {kind === "text" && (
        <TextArea
          label="Text"
          help="Plain text or Markdown. The agent uses the previous text until the new one is processed."
          rows={8}
          value={values.text}
          onChange={(text) => change({ text })}
          error={errorAt("text")}
        />
      )}
    </>
  );
}
