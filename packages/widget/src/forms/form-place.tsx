/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { findPreviousToolResult } from "../conversation/previous-tool-result.ts";
import { usePanel } from "../panel/panel-context.ts";

/**
 * A form within the conversation. `instanceKey` identifies the impression. The form code loads when the first form is
 * shown.
 */
export function FormPlace({ form, instanceKey }: { form: VisitorForm; instanceKey: string }): JSX.Element {
  const panel = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const undo = useRef<() => void>(null);
  const [state, setState] = useState<"loading" | "there" | "missing">("loading");
  useEffect(() => {
    const element = place.current;
    if (state !== "loading" || !element) return;
    let isGone = false;
    panel.loadForms().then(
      ({ mountForm }) => {
        if (isGone) return;
        const previousResult = panel.previousResult?.() ?? findPreviousToolResult(panel.chat.store.get().entries, form);
        undo.current = mountForm(element, panel, { form, key: instanceKey, previousResult });
        setState("there");
      },
      () => !isGone && setState("missing"),
    );
    return () => {
      isGone = true;
    };
  }, [state]);
  useEffect(() => () => undo.current?.(), []);
  return (
    <>
      {state === "loading" ? <FormOutline count={form.formSchema.fields.length} /> : null}
      {state === "missing" ? (
        <FormMissing text={panel.messages.formNotLoaded} onRetry={() => setState("loading")} />
      ) : null}
      <div ref={place} hidden={state !== "there"} />
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

export function FormMissing({ text, onRetry }: { text: string; onRetry: () => void }): JSX.Element {
  const { messages } = usePanel();
  return (
    <div class="failure">
      <p>{text}</p>
      <button type="button" class="quiet" onClick={onRetry}>
        {messages.retry}
      </button>
    </div>
  );
}
