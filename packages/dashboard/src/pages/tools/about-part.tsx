import { TextArea, TextField, Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { DeleteTool } from "./delete-tool.tsx";
import type { PartProps } from "./tool-editor.tsx";
import { toolKinds } from "./tool-kinds.tsx";
import { toToolName } from "./tool-name.ts";

/** What the agent knows of a tool: its name and description; whether it may use it; and its end. */
export function AboutPart({ agentId, kind, tool, draft }: PartProps) {
  const { values, change, errorAt } = draft;
  return (
    <div className="grid max-w-3xl">
      <Section title="For the agent" description="By these two the agent decides when to use the tool.">
        <TextField
          label="Name"
          value={values.name}
          onChange={(name) => change({ name: toToolName(name) })}
          onBlur={() => values.name.endsWith("_") && change({ name: values.name.replace(/_+$/, "") })}
          error={errorAt("name")}
          help="Lower-case letters and underscores. Write it as you would say it: “Stock look-up” becomes stock_look_up."
          {...{ autoComplete: "off", spellCheck: false, maxLength: 200, className: "font-mono" }}
        />
        <TextArea
          label="Description"
          value={values.description}
          onChange={(description) => change({ description })}
          error={errorAt("description")}
          help={<DescriptionHelp example={toolKinds[kind].descriptionExample} />}
          rows={4}
          maxLength={4_000}
        />
        <Toggle
          label="Enabled"
          help="Turned off, the tool stays as it is, but the agent does not know of it."
          value={values.isEnabled}
          onChange={(isEnabled) => change({ isEnabled })}
        />
      </Section>
      {tool && <DeleteTool tool={tool} agentId={agentId} />}
    </div>
  );
}

function DescriptionHelp({ example }: { example: string }) {
  return <>Shown to the AI. Say what the tool does, when to use it, and what it gives back. A good one: “{example}”</>;
}
