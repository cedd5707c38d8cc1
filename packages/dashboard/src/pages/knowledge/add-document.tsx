import type { DocumentCreate, UnansweredQuestion } from "@foyer/contract";
import { documentFormatList } from "@foyer/contract/rules/document-formats";
import { ChevronDown } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { TextArea, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { useDialogForm } from "../../components/use-dialog-form.ts";
import { api } from "../../data/api.ts";
import { refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import { completeAddress, describeAdded, splitLines } from "./document-labels.ts";
import { FaqFields } from "./faq-fields.tsx";
import { SiteDialog } from "./site-dialog.tsx";

export type AddableKind = DocumentCreate["kind"] | "site";

/** A menu with all ways to add a document. */
export function AddMenu({ onAdd, onChooseFiles }: { onAdd: (kind: AddableKind) => void; onChooseFiles: () => void }) {
  return (
    <Menu
      trigger={
        <Button variant="main">
          Add <ChevronDown size={16} aria-hidden />
        </Button>
      }
      items={[
        { label: "Upload files", hint: documentFormatList, onSelect: onChooseFiles },
        { label: "Web page", hint: "One public page, read from its address", onSelect: () => onAdd("page") },
        { label: "Site", hint: "Many pages of a website, kept up to date", onSelect: () => onAdd("site") },
        { label: "Question and answer", hint: "Answers to frequent questions", onSelect: () => onAdd("faq") },
        { label: "Text", hint: "Pasted or written here", onSelect: () => onAdd("text") },
      ]}
    />
  );
}

type Props = { agentId: string; onClose: () => void };

/** The dialog that adds a document of the given kind. */
export function AddDialog({ kind, ...props }: Props & { kind: AddableKind }) {
  if (kind === "site") return <SiteDialog {...props} site={null} />;
  if (kind === "text") return <TextDialog {...props} />;
  return kind === "faq" ? <FaqDialog {...props} /> : <PageDialog {...props} />;
}

async function add(body: DocumentCreate) {
  notify(describeAdded([await api.createDocument({ body })]));
  await refreshDocuments();
}

export function refreshDocuments() {
  return refresh("listDocuments", "getDocumentLimits");
}

function TextDialog({ agentId, onClose }: Props) {
  const form = useDialogForm({ title: "", text: "" }, async (values) => {
    await add({ agentId, kind: "text", ...values });
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog title="Add text" action="Add text" form={form} onClose={onClose}>
      <TextField
        label="Title"
        help="Replies that cite the text show it."
        value={values.title}
        onChange={(title) => change({ title })}
        error={errorAt("title")}
      />
      <TextArea
        label="Text"
        help="Plain text or Markdown. Headings help the agent find the right passage."
        rows={8}
        value={values.text}
        onChange={(text) => change({ text })}
        error={errorAt("text")}
      />
    </FormDialog>
  );
}

/**
 * Adds a question with its answer. With `answering`, the dialog starts with the visitors' wordings, and saving removes
 * the question from the list of unanswered questions.
 */
export function FaqDialog({ agentId, answering, onClose }: Props & { answering?: UnansweredQuestion }) {
  const initial = {
    question: answering?.question ?? "",
    otherWordings: answering?.otherWordings.join("\n") ?? "",
    answer: "",
  };
  const form = useDialogForm(initial, async ({ otherWordings, ...values }) => {
    const unanswered = answering ? { unansweredId: answering.id } : {};
    await add({ agentId, kind: "faq", ...values, otherWordings: splitLines(otherWordings), ...unanswered });
    if (answering) await refresh("listUnansweredQuestions");
    onClose();
  });
  return (
    <FormDialog
      title={answering ? "Write the answer" : "Add question and answer"}
      description={answering && "Adds a question with its answer to the agent's documents."}
      action={answering ? "Add answer" : "Add question"}
      form={form}
      onClose={onClose}
    >
      <FaqFields values={form.values} change={form.change} errorAt={form.errorAt} />
    </FormDialog>
  );
}

function PageDialog({ agentId, onClose }: Props) {
  const form = useDialogForm({ url: "" }, async ({ url }) => {
    await add({ agentId, kind: "page", url: completeAddress(url) });
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog title="Add web page" action="Add page" form={form} onClose={onClose}>
      <TextField
        label="Address"
        type="url"
        placeholder="https://harbour-bikes.example/returns"
        help="The server reads this one page, which must be public. robots.txt is not checked, because you name the page yourself."
        value={values.url}
        onChange={(url) => change({ url })}
        error={errorAt("url")}
      />
    </FormDialog>
  );
}
