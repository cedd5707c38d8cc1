import { FoyerError, type Output } from "@foyer/sdk";
import { TextArea, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

/** Creates a secret, or replaces the value of an existing one. */
export function SecretDialog({
  secret,
  onClose,
}: {
  secret: Output<"listSecrets">[number] | null;
  onClose: () => void;
}) {
  const initial = { name: secret?.name ?? "", value: "", hosts: secret?.hosts.join("\n") ?? "" };
  const form = useDialogForm(initial, async ({ name, value, hosts }) => {
    const body = { value, hosts: hosts.split(/[\s,]+/).filter(Boolean) };
    if (secret) await api.putSecret({ name, body });
    else await api.createSecret({ body: { name, ...body } }).catch(asFieldError);
    await refresh("listSecrets");
    notify(secret ? `${name} updated` : `${name} saved`);
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog
      title={secret ? `Replace ${secret.name}` : "Create secret"}
      description={secret ? "Tools use the new value from their next call." : undefined}
      action={secret ? "Replace value" : "Create secret"}
      form={form}
      onClose={onClose}
    >
      {!secret && (
        <TextField
          label="Name"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          placeholder="STOCK_API_KEY"
          help="Letters, digits and underscores."
          value={values.name}
          onChange={(name) => change({ name })}
          error={errorAt("name")}
        />
      )}
      <TextField
        label={secret ? "New value" : "Value"}
        type="password"
        autoComplete="off"
        value={values.value}
        onChange={(value) => change({ value })}
        error={errorAt("value")}
      />
      <TextArea
        label="Allowed hosts"
        isOptional
        rows={2}
        placeholder="stock.example.com"
        help="One per line. Without any, the secret is sent to the host of every tool that names it."
        value={values.hosts}
        onChange={(hosts) => change({ hosts })}
        error={errorAt("hosts")}
      />
    </FormDialog>
  );
}

/** Turns a conflict into an error of the name field. */
function asFieldError(error: unknown): never {
  if (!(error instanceof FoyerError) || error.code !== "CONFLICT") throw error;
  throw new FoyerError(error.code, error.message, {
    status: error.status,
    details: [{ path: "name", message: "is already in use. Replace that secret or choose another name" }],
  });
}
