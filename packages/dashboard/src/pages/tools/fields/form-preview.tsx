import type { FormSchema } from "@foyer/contract";
import { describeField } from "@foyer/contract/rules/field-types";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { WidgetView } from "../../../components/widget-view.tsx";
import { ask } from "../../../data/queries.ts";
import type { ToolDraft } from "../tool-draft.ts";

/** The unsaved form, drawn by the widget. It can be filled in, but not submitted. */
export function FormPreview({ agentId, draft }: { agentId: string; draft: ToolDraft }) {
  const { data: agent } = useSuspenseQuery(ask("getAgent", { id: agentId }));
  const { fields, ...texts } = draft.formSchema;
  const given = Object.entries(texts).filter(([, text]) => text !== "");
  const text = JSON.stringify({
    toolName: draft.name || "form",
    label: draft.label.trim() || null,
    formSchema: { fields: fields.filter(isComplete), ...Object.fromEntries(given) },
  });
  const content = useMemo(() => {
    const form = JSON.parse(text) as { toolName: string; label: string | null; formSchema: FormSchema };
    return {
      type: "form" as const,
      key: text,
      form: { toolId: "preview", executionMode: "webhook" as const, clientHandler: null, ...form },
    };
  }, [text]);
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      aria-label="Preview of the form"
      className="overflow-y-auto rounded-xl border border-line bg-paper p-4 lg:max-h-[calc(100dvh-14rem)]"
    >
      {fields.length === 0 ? (
        <p className="text-soft">No fields yet.</p>
      ) : (
        <WidgetView agent={agent} content={content} />
      )}
    </section>
  );
}

/** A choice without options is still being edited, and there is nothing to show for it. */
function isComplete(field: ToolDraft["formSchema"]["fields"][number]): boolean {
  return !describeField(field).hasOptions || (field.options ?? []).length > 0;
}
