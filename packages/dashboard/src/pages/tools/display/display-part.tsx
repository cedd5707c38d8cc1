import type { DisplayType } from "@foyer/contract";
import { displayEditors, optionEditors } from "@foyer/contract/rules/display-editor";
import { keepImagesFrom } from "@foyer/contract/rules/display-images";
import { describeDisplay, listSlots } from "@foyer/contract/rules/display-types";
import { displayForVisitorAlone, fillDisplay, parseStructured } from "@foyer/contract/rules/fill-display";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Select, Toggle } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { isObject } from "../is-object.ts";
import { withPart } from "../row-key.ts";
import { toDisplayConfig } from "../tool-draft.ts";
import type { PartProps } from "../tool-editor.tsx";
import { OwnSlotRows, SlotRows } from "./mapping-rows.tsx";
import { ResultPreview } from "./result-preview.tsx";
import { sampleResult } from "./sample-result.ts";
import { UnusedSettings } from "./unused-settings.tsx";

type Choice = DisplayType | "nothing";

const nothing = {
  value: "nothing" as const,
  label: "Nothing",
  line: "Visitors see that the tool was used. Only the AI receives the result.",
};
const choices = [
  nothing,
  ...Object.entries(displayEditors).map(([value, { name }]) => ({ value: value as DisplayType, label: name })),
];

/** How visitors see a result: the display type, the field mapping, and a preview. */
export function DisplayPart({ agentId, draft, kind, lastTest }: PartProps) {
  const { displayConfig: display, resultFor, mockResponse } = draft.values;
  const isHidden = resultFor === "visitor";
  const choice: Choice = resultFor === "model" ? "nothing" : display.type;
  const change = (part: Partial<typeof display>) => draft.change({ displayConfig: { ...display, ...part } });
  const choose = (next: Choice) => {
    if (next === "nothing") return draft.change({ resultFor: "model" });
    const fieldMappings = keepCompatibleMappings(next, display.fieldMappings);
    draft.change({
      resultFor: isHidden ? "visitor" : "both",
      displayConfig: { type: next, fieldMappings, options: {} },
    });
  };
  const known = parseStructured(kind === "mock" ? mockResponse : lastTest?.result);
  const hasFields = Array.isArray(known) || isObject(known);
  const mappingProps = { display, change, result: hasFields ? known : null, errorAt: draft.errorAt };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)] xl:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
      <div>
        <Section title="Display" description="What visitors see of the result.">
          {choice !== "nothing" && <UnusedSettings display={display} change={change} />}
          <Select
            label="Show it as"
            options={choices.filter(({ value }) => value !== "form" || display.type === "form")}
            value={choice}
            onChange={choose}
            error={draft.errorAt("displayConfig.type")}
            help={choice === "nothing" ? nothing.line : displayEditors[choice].line}
          />
          {choice !== "nothing" && <Options display={display} change={change} />}
          {choice !== "nothing" && (
            <Toggle
              label="Hide it from the AI"
              help={
                isHidden
                  ? "Only the visitor sees the result. The AI learns only that it was shown."
                  : "The AI receives the whole result. Turn this on for data that it must not repeat, such as a reset link."
              }
              value={isHidden}
              onChange={(isHidden) => draft.change({ resultFor: isHidden ? "visitor" : "both" })}
            />
          )}
        </Section>
        {choice !== "form" && choice !== "nothing" && (
          <Section title="Fields" description={fieldsHelp(hasFields, kind === "mock")}>
            {describeDisplay(choice).ownSlots ? <OwnSlotRows {...mappingProps} /> : <SlotRows {...mappingProps} />}
            {draft.errorAt("displayConfig.fieldMappings") && (
              <p className="text-wrong">{draft.errorAt("displayConfig.fieldMappings")}</p>
            )}
          </Section>
        )}
      </div>
      <DraftPreview agentId={agentId} draft={draft} known={known} hasFields={hasFields} />
    </div>
  );
}

type Display = PartProps["draft"]["values"]["displayConfig"];

function Options({ display, change }: { display: Display; change: (part: Partial<Display>) => void }) {
  const { options } = describeDisplay(display.type);
  if (options.length === 0) return null;
  return (
    <fieldset>
      <legend className="font-medium">Visible parts</legend>
      <div className="mt-2 flex flex-wrap gap-x-6 gap-y-3">
        {options.map((name) => {
          const { label, isOnByDefault } = optionEditors[name];
          const set = (isOn: boolean) =>
            change({ options: withPart(display.options, { [name]: isOn === isOnByDefault ? undefined : isOn }) });
          return <Toggle key={name} label={label} value={display.options[name] ?? isOnByDefault} onChange={set} />;
        })}
      </div>
    </fieldset>
  );
}

type DraftPreviewProps = Pick<PartProps, "agentId" | "draft"> & { known: unknown; hasFields: boolean };

/** The unsaved display, filled by the server's rule and rendered by the widget. */
function DraftPreview({ agentId, draft, known, hasFields }: DraftPreviewProps) {
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { displayConfig, resultFor, name, label } = draft.values;
  const isText = resultFor === "model" || displayConfig.type === "text";
  const result = hasFields || isText ? (known ?? "The result of the tool") : sampleResult(displayConfig);
  const warnings: string[] = [];
  const filled =
    resultFor === "model"
      ? { type: "text" as const, slots: {}, options: {} }
      : fillDisplay(result, toDisplayConfig(displayConfig), (message) => warnings.push(message));
  const display = resultFor === "visitor" ? displayForVisitorAlone(filled) : filled;
  return (
    <div className="top-6 max-lg:border-t max-lg:border-line max-lg:pt-6 lg:sticky">
      <Section title="Preview" description={hasFields || isText ? undefined : "Sample data, until you run a test."}>
        <ResultPreview
          agentId={agentId}
          tool={{ name: name || "tool", label: label.trim() || null }}
          display={keepImagesFrom(display, agent.allowedImageHosts)}
          warnings={hasFields ? warnings : []}
        />
      </Section>
    </div>
  );
}

function fieldsHelp(hasFields: boolean, isMock: boolean): string {
  const path = "Choose which field of the result goes where. Dots lead into objects: product.name.";
  if (hasFields) return path;
  return `${path} ${isMock ? "Write the response as JSON" : "Run a test"} to pick from its fields.`;
}

/** Mappings whose slot also exists in the other type. Table columns and custom slots have names chosen by the owner. */
function keepCompatibleMappings<Row extends { slot: string }>(type: DisplayType, rows: Row[]): Row[] {
  if (describeDisplay(type).ownSlots === "result") return rows;
  const kept: string[] = listSlots(type);
  return rows.filter(({ slot }) => kept.includes(slot));
}
