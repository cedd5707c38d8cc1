import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { NumberField, Select, TextArea } from "../../components/field.tsx";
import { ask } from "../../data/queries.ts";
import type { FieldsProps } from "./condition-fields.tsx";
import { actions } from "./trigger-labels.ts";

/** What happens then. */
export function ActionFields({ agentId, values, errorAt, change }: FieldsProps & { agentId: string }) {
  const { actionType, actionConfig } = values;
  const set = (part: Record<string, unknown>) => change({ actionConfig: { ...actionConfig, ...part } });
  const message = typeof actionConfig.message === "string" ? actionConfig.message : "";
  return (
    <>
      <Select
        label="Then"
        value={actionType}
        options={actions}
        error={errorAt("actionType")}
        onChange={(kind) => change({ actionType: kind })}
      />
      {actionType === "show_bubble" && (
        <>
          <TextArea
            label="Text of the bubble"
            value={message}
            onChange={(next) => set({ message: next })}
            error={errorAt("actionConfig.message")}
          />
          <NumberField
            label="Milliseconds until it goes"
            isOptional
            help="10000 is 10 seconds. Empty: it stays until the visitor closes it."
            value={typeof actionConfig.duration === "number" ? actionConfig.duration : null}
            onChange={(duration) => set({ duration })}
            error={errorAt("actionConfig.duration")}
            min={1}
            step="any"
            className="max-w-40"
          />
        </>
      )}
      {actionType === "open_chat" && (
        <TextArea
          label="Message"
          isOptional
          help="Stands in the visitor's field, ready to be sent; nothing is sent by itself."
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
  const { data: tools } = useQuery(ask("listTools", { agentId }));
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
          Make one
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
        ...(isKnown ? [] : [{ value: "", label: tools ? "Choose a form" : "Loading the forms", disabled: true }]),
        ...forms.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
