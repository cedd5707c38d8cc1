/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { FormMissing } from "../forms/form-place.tsx";
import { interpolate } from "../locales/load-messages.ts";
import { type Displays, usePanel } from "../panel/panel-context.ts";
import { readableName, type ShownTool } from "../panel/slots.ts";

/** A tool's result that is not text. The code for these results loads when the first one is shown. */
export function DisplayPlace({ tool }: { tool: ShownTool }): JSX.Element {
  const panel = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const [displays, setDisplays] = useState<Displays | "loading" | "missing">("loading");
  useEffect(() => {
    if (displays !== "loading") return;
    let isGone = false;
    panel.loadDisplays().then(
      (loaded) => !isGone && setDisplays(loaded),
      () => !isGone && setDisplays("missing"),
    );
    return () => {
      isGone = true;
    };
  }, [displays]);
  const loaded = typeof displays === "object" ? displays : null;
  useLayoutEffect(() => {
    if (place.current) loaded?.mountDisplay(place.current, panel, tool);
  });
  useEffect(() => {
    const element = place.current;
    return () => {
      if (element) loaded?.unmountDisplay(element);
    };
  }, [loaded]);
  if (displays === "missing") {
    const text = interpolate(panel.messages.toolFailed, { tool: tool.label ?? readableName(tool.name) });
    return <FormMissing text={text} onRetry={() => setDisplays("loading")} />;
  }
  return <div ref={place} aria-busy={loaded === null} />;
}
