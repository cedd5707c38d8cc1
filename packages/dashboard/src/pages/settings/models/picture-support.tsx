import { useQuery } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { Select } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

const choices = [
  { value: "yes", label: "Can see pictures" },
  { value: "no", label: "Cannot see pictures" },
] as const;
type Choice = (typeof choices)[number]["value"];

/** Which models can see pictures, for those that the built-in list does not know or knows wrongly. */
export function PictureSupport() {
  const { data, error, refetch } = useQuery(endpointQuery("listModelSettings"));
  const remove = useEndpointMutation("putModelSetting", {
    changes: ["listModelSettings"],
    done: ({ model }) => `Foyer decides again whether ${model} can see pictures`,
  });
  const settings = data?.filter(({ supportsImages }) => supportsImages !== null) ?? [];
  return (
    <Section
      title="Pictures"
      description="Foyer knows which common models can see the pictures that visitors send, and tries others. Set it here for a model that it gets wrong."
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {settings.length > 0 && (
        <Table
          label="Models and pictures"
          head={
            <>
              <Th>Model</Th>
              <Th>Pictures</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </>
          }
        >
          {settings.map(({ model, supportsImages }) => (
            <Tr key={model}>
              <Td>
                <code className="font-mono">{model}</code>
              </Td>
              <Td>{supportsImages ? "Can see pictures" : "Cannot see pictures"}</Td>
              <Td className="text-end">
                <Button
                  aria-label={`Remove the setting of ${model}`}
                  onClick={() => remove.mutate({ model, body: { supportsImages: null } })}
                  isBusy={remove.isPending && remove.variables.model === model}
                >
                  Remove
                </Button>
              </Td>
            </Tr>
          ))}
        </Table>
      )}
      <PictureForm />
    </Section>
  );
}

function PictureForm() {
  const { data: models } = useQuery({ ...endpointQuery("listModels"), staleTime: 60_000 });
  const form = useDialogForm({ model: "", choice: "yes" as Choice }, async ({ model, choice }) => {
    await api.putModelSetting({ model: model.trim(), body: { supportsImages: choice === "yes" } });
    await refresh("listModelSettings");
    notify(`${model.trim()} ${choice === "yes" ? "is sent" : "is not sent"} pictures`);
    form.reset({ model: "", choice });
  });
  return (
    <form ref={form.form} onSubmit={form.onSubmit} className="grid max-w-xl gap-4">
      <Combobox
        label="Model"
        emptyLabel="Choose a model"
        options={(models ?? []).map(({ id }) => ({ value: id }))}
        value={form.values.model}
        onChange={(model) => form.change({ model })}
        error={form.errorAt("model")}
      />
      <Select
        label="Pictures"
        value={form.values.choice}
        options={choices}
        onChange={(choice) => form.change({ choice })}
        error={form.errorAt("supportsImages")}
      />
      {form.problem && <p className="text-wrong">{form.problem}</p>}
      <div>
        <Button type="submit" disabled={form.values.model.trim() === ""} isBusy={form.isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}
