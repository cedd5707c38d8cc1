import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import type { Provider } from "./provider-row.tsx";
import { TestOutcome } from "./provider-test-outcome.tsx";

/** The organization's own API key and base URL for a provider. They can be tested before saving. */
export function ProviderDialog({
  provider: { provider, label, baseUrl, source, needsBaseUrl },
  onClose,
}: {
  provider: Provider;
  onClose: () => void;
}) {
  const form = useDialogForm({ apiKey: "", baseUrl: baseUrl ?? "" }, async (values) => {
    await api.putProvider({ provider, body: emptyToNull(values) });
    await refresh("listProviders", "listModels", "getDocumentEmbeddings");
    notify(`Agents now use your ${label} settings`);
    onClose();
  });
  const { values, change, errorAt } = form;
  const test = useMutation({ mutationFn: () => api.testProvider({ provider, body: emptyToNull(values) }) });
  const edit = (part: Partial<typeof values>) => {
    test.reset();
    change(part);
  };
  const isEmpty = needsBaseUrl ? !values.baseUrl : !values.apiKey;
  return (
    <FormDialog
      title={label}
      description={
        source === "account"
          ? "The stored key is never shown. Enter it again to change anything."
          : "The key is stored encrypted and never shown again."
      }
      action="Save"
      form={form}
      onClose={onClose}
      besideAction={
        <Button disabled={isEmpty} isBusy={test.isPending} onClick={() => test.mutate()}>
          Test
        </Button>
      }
    >
      {provider !== "ollama" && (
        <TextField
          label="API key"
          type="password"
          autoComplete="off"
          isOptional={needsBaseUrl}
          value={values.apiKey}
          onChange={(apiKey) => edit({ apiKey })}
          error={errorAt("apiKey")}
        />
      )}
      <TextField
        label="Base URL"
        type="url"
        autoComplete="off"
        isOptional={!needsBaseUrl}
        placeholder={needsBaseUrl ? "https://models.example.com/v1" : undefined}
        help={
          needsBaseUrl
            ? "The base URL of its API."
            : `Only needed if you use a proxy or gateway instead of ${label}'s own API.`
        }
        value={values.baseUrl}
        onChange={(baseUrl) => edit({ baseUrl })}
        error={errorAt("baseUrl")}
      />
      <TestOutcome test={test} />
    </FormDialog>
  );
}

function emptyToNull({ apiKey, baseUrl }: { apiKey: string; baseUrl: string }) {
  return { apiKey: apiKey.trim() || null, baseUrl: baseUrl.trim() || null };
}
