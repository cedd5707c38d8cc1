import { type ComponentProps, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Section } from "../../../components/page.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { readSchemaText, schemaText } from "../input-schema-draft.ts";
import type { PartProps } from "../tool-editor.tsx";
import { InputRows } from "./input-rows.tsx";
import { SchemaJson } from "./schema-json.tsx";

type View = "fields" | "json";

const views = [
  { value: "fields", label: "Fields" },
  { value: "json", label: "JSON" },
] as const;

/** The inputs that the agent fills in, edited as fields or as JSON Schema. */
export function InputsPart({ kind, draft }: PartProps) {
  const schema = draft.values.inputSchema;
  const [view, setView] = useState<View>(schema.text === null ? "fields" : "json");
  const isJson = view === "json";
  const change = (inputSchema: typeof schema) => draft.change({ inputSchema });
  const restore: ComponentProps<typeof InputRows>["onRestore"] = (row, index) =>
    draft.change(({ inputSchema: { inputs, text, ...rest } }) => {
      const isBeingWritten = text !== null && "line" in readSchemaText(text);
      const inputSchema = { ...rest, inputs: inputs.toSpliced(index, 0, row), text: isBeingWritten ? text : null };
      return { inputSchema };
    });
  const isUnreadable = schema.text !== null && "line" in readSchemaText(schema.text);
  const show = (view: View) => {
    setView(view);
    // Valid JSON is now represented by the fields and is formatted again when the JSON view opens.
    if (view === "fields" && schema.text !== null && !isUnreadable) change({ ...schema, text: null });
  };
  return (
    <div className="max-w-4xl">
      <Section
        title="Inputs"
        description={
          kind === "form"
            ? "What the agent can pass when it shows the form. An input with the same name as a field fills in that field."
            : "What the agent fills in when it uses the tool. Describe each one for the AI."
        }
        actions={<SegmentedControl label="Show the inputs as" value={view} onChange={show} options={views} />}
      >
        {isJson && (
          <SchemaJson
            text={schemaText(schema)}
            schema={schema}
            onChange={change}
            errors={draft.errors.filter(({ path }) => path.startsWith("inputSchema"))}
          />
        )}
        {!isJson && isUnreadable && (
          <div role="alert" className="grid justify-items-start gap-3 border-s-2 border-wrong px-4 py-1">
            <p>Fix the JSON to switch to the fields.</p>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => show("json")}>Back to JSON</Button>
              <Button onClick={() => change({ ...schema, text: null })}>Discard my JSON</Button>
            </div>
          </div>
        )}
        {!isJson && !isUnreadable && (
          <InputRows
            schema={schema}
            onChange={change}
            onRestore={restore}
            errorAt={draft.errorAt}
            isForm={kind === "form"}
          />
        )}
      </Section>
    </div>
  );
}
