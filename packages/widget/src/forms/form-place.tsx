/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { findPreviousToolResult } from "../conversation/previous-tool-result.ts";
import { Failure } from "../panel/failure.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { loadMissing, usePart } from "../panel/use-part.ts";

/**
 * A form within the conversation. `instanceKey` identifies the impression. The form code loads when the first form is
 * shown.
 */
export function FormPlace({ form, instanceKey }: { form: VisitorForm; instanceKey: string }): JSX.Element {
  const panel = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const forms = usePart(panel.loadForms);
  useLayoutEffect(() => {
    if (!forms || !place.current) return;
    const previousResult = panel.previousResult?.() ?? findPreviousToolResult(panel.chat.store.get().entries, form);
    return forms.mountForm(place.current, panel, { form, key: instanceKey, previousResult });
  }, [forms]);
  return (
    <>
      {forms === undefined ? <FormOutline count={form.formSchema.fields.length} /> : null}
      {forms === null ? <Failure text={panel.messages.formNotLoaded} onRetry={loadMissing} /> : null}
      <div ref={place} hidden={!forms} />
    </>
  );
}

/** A skeleton about as tall as the form, so little moves when the form appears. */
export function FormOutline({ count }: { count: number }): JSX.Element {
  const { messages } = usePanel();
  return (
    <div class="card form-outline" role="img" aria-label={messages.formLabel} aria-busy="true">
      {Array(Math.min(count, 8))
        .fill(null)
        .map((_, index) => (
          <span key={index} />
        ))}
    </div>
  );
}
