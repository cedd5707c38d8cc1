import type { Display } from "@foyer/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { WidgetView } from "../../../components/widget-view.tsx";
import { endpointQuery } from "../../../data/queries.ts";

/** A tool's result as visitors see it in the chat, and the parts that the display left out. */
export function ResultPreview({
  agentId,
  tool,
  display,
  warnings,
}: {
  agentId: string;
  tool: { name: string; label: string | null };
  display: Display;
  warnings: readonly string[];
}) {
  const { data: agent } = useSuspenseQuery(endpointQuery("getAgent", { id: agentId }));
  const { name, label } = tool;
  // The display object is new on every render, so equal displays are compared by value to avoid rendering them again.
  const text = JSON.stringify(display);
  const content = useMemo(() => {
    const shown = JSON.parse(text) as Display;
    const result = shown.slots.text ?? null;
    const part = {
      type: "tool" as const,
      id: "preview",
      name,
      label,
      kind: null,
      input: null,
      state: "done" as const,
      result,
      form: null,
    };
    return { type: "parts" as const, key: "preview", parts: [{ ...part, display: shown }] };
  }, [text, name, label]);
  return (
    <div className="grid gap-3">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        tabIndex={0}
        aria-label="What visitors see"
        className="overflow-x-auto rounded-xl border border-line bg-paper p-4"
      >
        <WidgetView agent={agent} content={content} />
      </section>
      {warnings.length > 0 && (
        <ul aria-label="Left out of the display" className="grid gap-1 border-s-2 border-lamp ps-3 text-sm">
          {warnings.map((warning) => (
            <li key={warning}>{warning.charAt(0).toUpperCase() + warning.slice(1)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
