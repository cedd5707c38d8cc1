/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { usePanel } from "../panel/panel-context.ts";
import { type ShownTool, slotText } from "../panel/slots.ts";
import { Rows } from "./rows.tsx";

/** Rendered by the site's renderer for this tool. Without one, or if it throws, the slots appear as a plain list. */
export function CustomDisplay({ tool }: { tool: ShownTool }): JSX.Element {
  const { core, chat } = usePanel();
  const renderer = core.registry.renderers.get(tool.name);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!renderer || !element) return;
    const { name: toolName, slots, options, result } = tool;
    try {
      const undo = renderer(element, { toolName, slots, options, result }, (text) => void chat.send(text));
      return () => {
        undo?.();
        element.replaceChildren();
      };
    } catch (error) {
      // The browser reports the error like any uncaught error, and the conversation continues.
      reportError(error);
    }
  }, [renderer]);
  if (renderer) return <div ref={place} class="custom" part="custom" />;
  return (
    <div class="card card-text">
      <Rows rows={Object.keys(tool.slots).map((slot) => [slot, slotText(tool.slots, slot)] as const)} />
    </div>
  );
}
