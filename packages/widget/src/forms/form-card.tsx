/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";

/** A form within the conversation. `instanceKey` stays the same for as long as this showing of it lasts. */
export function FormCard({ form, instanceKey }: { form: VisitorForm; instanceKey: string }): JSX.Element {
  const { words } = usePanel();
  return (
    <section class="card form" data-instance={instanceKey} aria-label={words.formShown}>
      <p class="card-title">{form.toolName.replaceAll("_", " ")}</p>
    </section>
  );
}
