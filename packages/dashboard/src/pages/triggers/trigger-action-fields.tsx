import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { NumberField, Select, TextArea } from "../../components/field.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { endpointQuery } from "../../data/queries.ts";
import type { FieldsProps } from "./condition-fields.tsx";
import { actions } from "./trigger-labels.ts";

/** The action and its settings. */
export function ActionFields({ agentId, values, errorAt, change }: FieldsProps & { agentId: string }) {
  const { actionType, actionConfig } = values;
  const set = (part: Record<string, unknown>) => change({ actionConfig: { ...actionConfig, ...part } });
  const message = typeof actionConfig.message === "string" ? actionConfig.message : "";
  return (
    <>
      <Select
        label="Action"
        value={actionType}
        options={actions}
        error={errorAt("actionType")}
        onChange={(kind) => change({ actionType: kind })}
      />
      {actionType === "show_bubble" && (
        <>
          <TextArea
            label="Message"
            value={message}
            onChange={(next) => set({ message: next })}
            error={errorAt("actionConfig.message")}
          />
          <NumberField
            label="Hide after (seconds)"
            isOptional
            help="Leave empty to keep the bubble until the visitor closes it."
            value={typeof actionConfig.duration === "number" ? actionConfig.duration / 1_000 : null}
            onChange={(seconds) => set({ duration: seconds === null ? null : Math.round(seconds * 1_000) })}
            error={errorAt("actionConfig.duration")}
            min={0}
            step="any"
            className="max-w-40"
          />
        </>
      )}
      {actionType === "open_chat" && (
        <TextArea
          label="Text in the visitor's message box"
          isOptional
          help="Put into the message field. The visitor decides whether to send it."
          value={message}
          onChange={(next) => set({ message: next })}
          error={errorAt("actionConfig.message")}
        />
      )}
      {actionType === "show_form" && (
        <FormPick
          agentId={agentId}
          value={typeof actionConfig.toolId === "string" ? actionConfig.toolId : ""}
          onChange={(toolId) => set({ toolId })}
          error={errorAt("actionConfig.toolId")}
        />
      )}
    </>
  );
}

function FormPick({
  agentId,
  value,
  onChange,
  error,
}: {
  agentId: string;
  value: string;
  onChange: (toolId: string) => void;
  error: string | undefined;
}) {
  const { data: tools } = useQuery(endpointQuery("listTools", { agentId }));
  const forms = (tools ?? []).filter(({ executionType }) => executionType === "form");
  if (tools && forms.length === 0) {
    return (
      <p role={error ? "alert" : undefined} className={error ? "text-wrong" : "text-soft"}>
        This agent has no form yet.{" "}
        <Link
          to="/agents/$agentId/tools/new"
          params={{ agentId }}
          search={{ kind: "form" }}
          className="underline underline-offset-2"
        >
          Create one
        </Link>
      </p>
    );
  }
  const isKnown = forms.some(({ id }) => id === value);
  return (
    <Select
      label="Form"
      value={isKnown ? value : ""}
      onChange={onChange}
      error={error}
      options={[
        ...(isKnown ? [] : [{ value: "", label: tools ? "Choose a form" : "Loading forms…", disabled: true }]),
        ...forms.map(({ id, name }) => ({ value: id, label: toolTitle(name) })),
      ]}
    />
  );
}
