import { Select, Toggle } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { isObject } from "../is-object.ts";
import { withPart } from "../row-key.ts";
import type { PartProps } from "../tool-editor.tsx";
import { displayKinds, optionWords } from "./display-kinds.ts";
import { fillDisplay } from "./fill-display.ts";
import { ColumnRows, SlotRows } from "./mapping-rows.tsx";
import { readResult } from "./result-paths.ts";
import { sampleResult } from "./sample-result.ts";
import { VisitorView } from "./visitor-view.tsx";

const types = Object.entries(displayKinds).map(([value, { name }]) => ({ value: value as Type, label: name }));
type Type = keyof typeof displayKinds;

/** How visitors see a result: as what, which of its fields go where, and how that looks. */
export function DisplayPart(props: PartProps) {
  const { draft, kind, lastTest } = props;
  const display = draft.values.displayConfig;
  const change = (part: Partial<typeof display>) => draft.change({ displayConfig: { ...display, ...part } });
  const { line, options } = displayKinds[display.type];
  const known = kind === "mock" ? readResult(draft.values.mockResponse) : lastTest && readResult(lastTest.forModel);
  const isKnown = typeof known === "object" && known !== null && (Array.isArray(known) || isObject(known));
  const result = isKnown || display.type === "text" ? (known ?? "The result of the tool") : sampleResult(display);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)] xl:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
      <div>
        <Section
          title="Display"
          description="What visitors see of a result. The AI reads all of it, whatever is shown."
        >
          <Select
            label="Show it as"
            options={types.filter(({ value }) => value !== "form" || display.type === "form")}
            value={display.type}
            onChange={(type) => change({ type, fieldMappings: fitting(type, display.fieldMappings), options: {} })}
            error={draft.errorAt("displayConfig.type")}
            help={line}
          />
          {options.length > 0 && (
            <fieldset>
              <legend className="font-medium">Shown</legend>
              <div className="mt-2 flex flex-wrap gap-x-6 gap-y-3">
                {options.map((name) => {
                  const { label, isOnByDefault } = optionWords[name];
                  const set = (isOn: boolean) =>
                    change({
                      options: withPart(display.options, { [name]: isOn === isOnByDefault ? undefined : isOn }),
                    });
                  return (
                    <Toggle key={name} label={label} value={display.options[name] ?? isOnByDefault} onChange={set} />
                  );
                })}
              </div>
            </fieldset>
          )}
        </Section>
        {display.type !== "form" && (
          <Section title="Fields" description={fieldsHelp(isKnown, kind === "mock")}>
            {display.type === "table" || display.type === "custom" ? (
              <ColumnRows {...{ display, change, result: isKnown ? known : null, errorAt: draft.errorAt }} />
            ) : (
              <SlotRows {...{ display, change, result: isKnown ? known : null, errorAt: draft.errorAt }} />
            )}
          </Section>
        )}
      </div>
      <div className="top-6 max-lg:border-t max-lg:border-line max-lg:pt-6 lg:sticky">
        <Section
          title="Preview"
          description={isKnown || display.type === "text" ? undefined : "With sample data, until there is a result."}
        >
          <VisitorView name={draft.values.name || "tool"} display={fillDisplay(result, display)} />
        </Section>
      </div>
    </div>
  );
}

function fieldsHelp(isKnown: boolean, isMock: boolean): string {
  const path = "Which field of the result goes where; dots lead into objects: product.name.";
  if (isKnown) return path;
  return `${path} ${isMock ? "Write the response as JSON" : "Run a test"} to have its fields offered here.`;
}

/** Mappings whose slot the other type has, too. The names in a table or of a custom display are the owner's own. */
function fitting<Row extends { slot: string }>(type: Type, rows: Row[]): Row[] {
  if (type === "custom") return rows;
  return rows.filter(({ slot }) => displayKinds[type].slots.some((known) => known.slot === slot));
}
