import { toolTextLimits } from "@foyer/contract/rules/limits";
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../../components/button.tsx";
import { Combobox } from "../../../components/combobox.tsx";
import { TextField } from "../../../components/field.tsx";
import type { Option } from "../../../components/option-list.tsx";
import { type Keyed, rowKey, withKey } from "../row-key.ts";
import type { HeaderRow } from "../tool-draft.ts";
import { PlaceholderField } from "./placeholder-field.tsx";

const headerNames = ["Authorization", "Accept", "Accept-Language", "Content-Type", "X-API-Key"].map((value) => ({
  value,
}));

/** Headers, one per row. `errorAt` receives a header's name. `placeholders` are offered for the values. */
export function HeaderRows({
  rows,
  onChange,
  errorAt,
  placeholders,
}: {
  rows: Keyed<HeaderRow>[];
  onChange: (rows: Keyed<HeaderRow>[]) => void;
  errorAt: (name: string) => string | undefined;
  placeholders?: readonly Option[];
}) {
  const change = (row: Keyed<HeaderRow>, part: Partial<HeaderRow>) =>
    onChange(rows.map((other) => (other === row ? { ...row, ...part } : other)));
  return (
    <div className="grid gap-3">
      {rows.map((row, index) => (
        <fieldset
          key={rowKey(row)}
          className="grid gap-2 border-b border-line pb-3 sm:flex sm:items-start sm:border-0 sm:pb-0"
        >
          <legend className="sr-only">Header {index + 1}</legend>
          <div className="sm:w-56">
            <Combobox
              label="Name"
              value={row.name}
              onChange={(name) => change(row, { name })}
              error={errorAt(row.name.trim())}
              className="font-mono"
              options={headerNames}
            />
          </div>
          <div className="min-w-0 flex-1">
            {placeholders ? (
              <PlaceholderField
                label="Value"
                insertLabel={`Insert a placeholder into header ${index + 1}`}
                value={row.value}
                onChange={(value) => change(row, { value })}
                options={placeholders}
                maxLength={toolTextLimits.headerValue}
              />
            ) : (
              <TextField
                label="Value"
                value={row.value}
                onChange={(value) => change(row, { value })}
                autoComplete="off"
                spellCheck={false}
                maxLength={toolTextLimits.headerValue}
                className="font-mono"
              />
            )}
          </div>
          <div className="sm:mt-6">
            <IconButton
              label={`Remove header ${index + 1}`}
              onClick={() => onChange(rows.filter((other) => other !== row))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <Button className="justify-self-start" onClick={() => onChange([...rows, withKey({ name: "", value: "" })])}>
        <Plus size={16} aria-hidden /> Add header
      </Button>
    </div>
  );
}
