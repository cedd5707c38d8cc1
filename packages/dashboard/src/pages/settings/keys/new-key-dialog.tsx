import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Select, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { serverUrl } from "../../../data/server-address.ts";
import { type ExpiryChoice, expiryChoices, toExpiry } from "./key-expiry.ts";

/** Creates a key and shows it once. */
export function NewKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<{ name: string; text: string }>();
  const initial = { name: "", choice: "never" as ExpiryChoice, expiresAt: "" };
  const form = useDialogForm(initial, async ({ name, choice, expiresAt }) => {
    const body = { name, expiresAt: toExpiry(choice, expiresAt, new Date()) };
    const { name: kept, key: text } = await api.createApiKey({ body });
    setMade({ name: kept, text });
    await refresh("listApiKeys");
  });
  if (made) return <CreatedKey {...made} onClose={onClose} />;
  const { values, change, errorAt } = form;
  return (
    <FormDialog title="Create API key" action="Create API key" form={form} onClose={onClose}>
      <TextField
        label="Name"
        help="Describe what will use it."
        autoComplete="off"
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      <Select
        label="Expires"
        options={expiryChoices}
        value={values.choice}
        onChange={(choice) => change({ choice })}
        error={values.choice === "date" ? undefined : errorAt("expiresAt")}
      />
      {values.choice === "date" && (
        <TextField
          label="Last day"
          type="date"
          help="The key works until the end of this day."
          value={values.expiresAt}
          onChange={(expiresAt) => change({ expiresAt })}
          error={errorAt("expiresAt")}
        />
      )}
    </FormDialog>
  );
}

/** Shows the new key. The first attempt to close the dialog asks for confirmation, because the key would be lost. */
function CreatedKey({ name, text, onClose }: { name: string; text: string; onClose: () => void }) {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <Dialog
      title={`API key ${name}`}
      description="Copy it now: you won't be able to see it again."
      isOpen
      onClose={() => (isLeaving ? onClose() : setLeaving(true))}
    >
      <CopyField label="the key" text={text} />
      <div className="grid gap-2">
        <h3 className="font-medium">Try it</h3>
        <CopyField label="the example" text={`curl ${serverUrl()}/agents \\\n  -H "Authorization: Bearer ${text}"`} />
      </div>
      {isLeaving && (
        <p role="alert" className="border-s-2 border-warning ps-3">
          Did you copy the key? You won't be able to see it again. Close once more to leave.
        </p>
      )}
      <div className="flex justify-end">
        <Button variant="main" onClick={onClose}>
          I've copied it
        </Button>
      </div>
    </Dialog>
  );
}
