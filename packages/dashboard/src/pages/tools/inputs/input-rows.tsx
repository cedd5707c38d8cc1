import { Plus } from "lucide-react";
import { Button } from "../../../components/button.tsx";
import { notify } from "../../../data/toasts.ts";
import type { InputRow, SchemaDraft } from "../input-schema-draft.ts";
import { type Keyed, rowKey, withKey } from "../row-key.ts";
import { uniqueName } from "../tool-name.ts";
import { InputFields } from "./input-fields.tsx";

/** The inputs of a tool. */
export function InputRows({
  schema,
  onChange,
  onRestore,
  errorAt,
  isForm,
}: {
  schema: SchemaDraft;
  onChange: (schema: SchemaDraft) => void;
  /** Restores a removed row, even after other changes. */
  onRestore: (row: Keyed<InputRow>, index: number) => void;
  errorAt: (path: string) => string | undefined;
  isForm: boolean;
}) {
  const { inputs } = schema;
  const replace = (inputs: Keyed<InputRow>[]) => onChange({ ...schema, inputs });
  const remove = (row: Keyed<InputRow>, index: number) => {
    replace(inputs.filter((other) => other !== row));
    notify(row.name ? `Input ${row.name} removed` : "Input removed", { undo: () => onRestore(row, index) });
  };
  const add = () => {
    const name = uniqueName(
      inputs.length === 0 ? "question" : "input",
      inputs.map((row) => row.name),
    );
    replace([...inputs, withKey({ name, isRequired: true, schema: { type: "string" } })]);
  };
  return (
    <div className="grid gap-4">
      {inputs.length === 0 && (
        <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">
          {isForm
            ? "No inputs. The form is shown without prefilled fields."
            : "No inputs. Most lookups need one, such as a product name or an order number."}
        </p>
      )}
      {inputs.map((row, index) => (
        <InputFields
          key={rowKey(row)}
          row={row}
          index={index}
          errorAt={errorAt}
          onChange={(next) => replace(inputs.map((other) => (other === row ? next : other)))}
          onRemove={() => remove(row, index)}
        />
      ))}
      <Button className="justify-self-start" onClick={add}>
        <Plus size={16} aria-hidden /> Add input
      </Button>
    </div>
  );
}
