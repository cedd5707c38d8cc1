/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Failure } from "../panel/failure.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { readableName, type ShownTool } from "../panel/slots.ts";
import { loadMissing, usePart } from "../panel/use-part.ts";

/** A tool's result that is not text. The code for these results loads when the first one is shown. */
export function DisplayPlace({ tool }: { tool: ShownTool }): JSX.Element {
  const panel = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const displays = usePart(panel.loadDisplays);
  useLayoutEffect(() => {
    if (place.current) displays?.mountDisplay(place.current, panel, tool);
  });
  useEffect(() => {
    const element = place.current;
    return () => {
      if (element) displays?.unmountDisplay(element);
    };
  }, [displays]);
  if (displays === null) {
    const text = interpolate(panel.messages.toolFailed, { tool: tool.label ?? readableName(tool.name) });
    return <Failure text={text} onRetry={loadMissing} />;
  }
  return <div ref={place} aria-busy={!displays} />;
}
