import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { EmbeddingProgress, type Embeddings } from "../../knowledge/embedding-progress.tsx";

const POLL_MS = 2_000;

/** The model with which the documents of all agents are searched by meaning. */
export function EmbeddingModel() {
  const { data, error, refetch } = useQuery({
    ...endpointQuery("getDocumentEmbeddings", {}),
    refetchInterval: ({ state: { data: last } }) => (last?.state === "embedding" ? POLL_MS : false),
  });
  return (
    <Section
      title="Embedding model"
      description="With an embedding model, agents also find passages that say the same in other words or another language. It applies to the documents of all agents."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-16 max-w-md" />}
      {data && <EmbeddingForm embeddings={data} />}
    </Section>
  );
}

function EmbeddingForm({ embeddings }: { embeddings: Embeddings }) {
  const { model, state, suggestions } = embeddings;
  const form = useDialogForm({ model: model ?? "" }, async (values) => {
    const chosen = values.model.trim() || null;
    await api.putDocumentEmbeddings({ body: { model: chosen } });
    await refresh("getDocumentEmbeddings");
    form.reset({ model: chosen ?? "" });
    notify(chosen === null ? "Agents search by words only" : `Documents are being embedded with ${chosen}`);
  });
  const canRetry = state === "failing" && !form.isDirty;
  return (
    <form ref={form.form} onSubmit={form.onSubmit} className="grid max-w-xl gap-4">
      <Combobox
        label="Model"
        emptyLabel="None: search by words only"
        help="Choose a model, or type provider/model. Passages are sent to this provider and use tokens."
        options={suggestions.map((value) => ({ value }))}
        value={form.values.model}
        onChange={(value) => form.change({ model: value })}
        error={form.errorAt("model")}
      />
      <EmbeddingProgress embeddings={embeddings} />
      {form.problem && <p className="text-wrong">{form.problem}</p>}
      <div>
        <Button type="submit" disabled={!form.isDirty && !canRetry} isBusy={form.isBusy}>
          {canRetry ? "Retry now" : "Save"}
        </Button>
      </div>
    </form>
  );
}
