import { toolTextLimits } from "@foyer/contract/rules/limits";
import { Link } from "@tanstack/react-router";
import { TextArea, TextField, Toggle } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { DeleteTool } from "./delete-tool.tsx";
import type { PartProps } from "./tool-editor.tsx";
import { toolKinds } from "./tool-kinds.tsx";
import { toToolName } from "./tool-name.ts";

/** More than the name may have, because spaces and accents that are typed or pasted are removed from it. */
const MAX_TYPED_NAME = 200;

/** A tool's name, description and label, the switch that enables it, and the section that deletes it. */
export function AboutPart({ agentId, kind, tool, draft }: PartProps) {
  const { values, change, errorAt } = draft;
  return (
    <div className="grid max-w-3xl">
      <Section
        title="For the agent"
        description="The agent uses the name and description to decide when to call this tool."
      >
        <TextField
          label="Name"
          value={values.name}
          onChange={(name) => change({ name: toToolName(name) })}
          onBlur={() => values.name.endsWith("_") && change({ name: values.name.replace(/_+$/, "") })}
          error={errorAt("name")}
          help="Lowercase letters and underscores. Type it as you would say it: “Stock look-up” becomes stock_look_up."
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_TYPED_NAME}
          className="font-mono"
        />
        <TextArea
          label="Description"
          value={values.description}
          onChange={(description) => change({ description })}
          error={errorAt("description")}
          help={<DescriptionHelp example={toolKinds[kind].descriptionExample} />}
          rows={4}
          maxLength={toolTextLimits.description}
        />
        <TextField
          label="Label for visitors"
          value={values.label}
          onChange={(label) => change({ label })}
          error={errorAt("label")}
          help={labelHelp(kind, values.name)}
          maxLength={toolTextLimits.label}
        />
        <Toggle
          label="Verified visitors only"
          help={<VerifiedHelp agentId={agentId} isForm={kind === "form"} />}
          value={values.requires === "verified"}
          onChange={(isRequired) => change({ requires: isRequired ? "verified" : null })}
        />
        <Toggle
          label="Enabled"
          help="When this is off, the agent doesn't know about the tool."
          value={values.isEnabled}
          onChange={(isEnabled) => change({ isEnabled })}
        />
      </Section>
      {tool && <DeleteTool tool={tool} agentId={agentId} />}
    </div>
  );
}

function DescriptionHelp({ example }: { example: string }) {
  return <>For the AI: what the tool does, when to use it, and what it returns. For example: “{example}”</>;
}

function VerifiedHelp({ agentId, isForm }: { agentId: string; isForm: boolean }) {
  return (
    <>
      The agent can use the tool only for visitors whose{" "}
      <Link to="/agents/$agentId/identity" params={{ agentId }} className="underline underline-offset-2">
        identity
      </Link>{" "}
      your server has proven.{isForm && " Submissions from others are rejected."}
    </>
  );
}

function labelHelp(kind: PartProps["kind"], name: string) {
  const words = name ? name.replaceAll("_", " ") : "stock look up";
  if (kind === "form") return `The title of the form in the chat. Without a label, it is “${words}”.`;
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return `Shown in the chat while the tool runs and afterwards, such as “Checking stock”. Without a label, it is “Used ${words}”, or “${title}” above what the tool shows.`;
}
