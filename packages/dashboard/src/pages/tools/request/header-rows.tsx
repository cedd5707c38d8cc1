import type { Secret } from "@foyer/contract";
import { KeyRound, Plus, X } from "lucide-react";
import { Button, IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { type Keyed, keyed, keyOf } from "../row-key.ts";
import type { HeaderRow } from "../tool-draft.ts";

/** Headers, one per row. `errorAt` receives a header's name. `secrets` are offered for the values. */
export function HeaderRows({
  rows,
  onChange,
  errorAt,
  secrets = [],
}: {
  rows: Keyed<HeaderRow>[];
  onChange: (rows: Keyed<HeaderRow>[]) => void;
  errorAt: (name: string) => string | undefined;
  secrets?: readonly Secret[];
}) {
  const change = (row: Keyed<HeaderRow>, part: Partial<HeaderRow>) =>
    onChange(rows.map((other) => (other === row ? { ...row, ...part } : other)));
  return (
    <div className="grid gap-3">
      {rows.map((row, index) => (
        <fieldset
          key={keyOf(row)}
          className="grid gap-2 border-b border-line pb-3 sm:flex sm:items-start sm:border-0 sm:pb-0"
        >
          <legend className="sr-only">Header {index + 1}</legend>
          <div className="sm:w-56">
            <TextField
              label="Name"
              value={row.name}
              onChange={(name) => change(row, { name })}
              error={errorAt(row.name.trim())}
              {...{ list: "header-names", autoComplete: "off", spellCheck: false, className: "font-mono" }}
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label="Value"
              value={row.value}
              onChange={(value) => change(row, { value })}
              {...{ autoComplete: "off", spellCheck: false, maxLength: 4_000, className: "font-mono" }}
            />
          </div>
          <div className="flex gap-1 sm:mt-6">
            {secrets.length > 0 && (
              <Menu
                trigger={
                  <IconButton label={`Insert a secret into header ${index + 1}`}>
                    <KeyRound size={16} aria-hidden />
                  </IconButton>
                }
                items={secrets.map(({ name, hosts }) => ({
                  label: name,
                  hint: hosts.length > 0 ? `For ${hosts.join(", ")}` : "For any host",
                  onSelect: () => change(row, { value: `${row.value}{{${name}}}` }),
                }))}
              />
            )}
            <IconButton
              label={`Remove header ${index + 1}`}
              onClick={() => onChange(rows.filter((other) => other !== row))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <datalist id="header-names">
        {["Authorization", "Accept", "Accept-Language", "Content-Type", "X-API-Key"].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Button className="justify-self-start" onClick={() => onChange([...rows, keyed({ name: "", value: "" })])}>
        <Plus size={16} aria-hidden /> Add header
      </Button>
    </div>
  );
}
