import type { FormSchema } from "@foyer/contract";
import { describeField } from "@foyer/contract/rules/field-types";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { WidgetView } from "../../../components/widget-view.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import type { ToolDraft } from "../tool-draft.ts";

/**
 * The unsaved form, rendered by the widget with its defaults, errors and success message. Nothing is sent. "Start over"
 * shows the empty form again.
 */
export function FormPreview({ agentId, draft }: { agentId: string; draft: ToolDraft }) {
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { fields, ...texts } = draft.formSchema;
  const given = Object.entries(texts).filter(([, text]) => text !== "");
  const text = JSON.stringify({
    toolName: draft.name || "form",
    label: draft.label.trim() || null,
    formSchema: { fields: fields.filter(isComplete), ...Object.fromEntries(given) },
  });
  const [round, setRound] = useState(0);
  const content = useMemo(() => {
    const form = JSON.parse(text) as { toolName: string; label: string | null; formSchema: FormSchema };
    return {
      type: "form" as const,
      key: `${round}:${text}`,
      form: { toolId: "preview", executionMode: "webhook" as const, clientHandler: null, ...form },
    };
  }, [text, round]);
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
      tabIndex={0}
      aria-label="Preview of the form"
      className="overflow-y-auto rounded-xl border border-line bg-paper p-4 lg:max-h-[calc(100dvh-14rem)]"
    >
      {fields.length === 0 ? (
        <p className="text-soft">No fields yet.</p>
      ) : (
        <div className="grid justify-items-stretch gap-3">
          <WidgetView agent={agent} content={content} canTryForms />
          <Button variant="plain" className="justify-self-start" onClick={() => setRound(round + 1)}>
            Start over
          </Button>
        </div>
      )}
    </section>
  );
}

/** A choice without options is still being edited and cannot be shown. */
function isComplete(field: ToolDraft["formSchema"]["fields"][number]): boolean {
  return !describeField(field).hasOptions || (field.options ?? []).length > 0;
}
