import { type FormEvent, recordFormEvent, type VisitorForm } from "@foyer/sdk";
import type { Draft } from "../form-values/form-storage.ts";
import type { FormNotice } from "../foyer-api.ts";
import type { FormPanel } from "./form-panel.ts";

export type FormEvents = ReturnType<typeof createFormEvents>;

/** Reports to the server and the site how far the visitor got, each event once per impression. */
export function createFormEvents(
  { core, request }: FormPanel,
  { form, key, draft }: { form: VisitorForm; key: string; draft: Draft | null },
) {
  const { toolId, toolName } = form;
  const completed = new Set(draft?.completed ?? []);
  let impressionAt = draft?.impressionAt ?? null;
  let startedAt = draft?.startedAt ?? null;

  const record = (event: Omit<FormEvent, "toolId" | "formInstanceId">) => {
    // The submission carries the same data, so a lost event does not matter.
    recordFormEvent(request, { toolId, formInstanceId: key, ...event }).catch(() => {});
  };
  const tell = (notice: Pick<FormNotice, "event" | "submissionId" | "reason">) =>
    core.bus.emit("form", { toolId, toolName, formInstanceId: key, ...notice });

  const reportShown = () => {
    if (impressionAt !== null) return;
    impressionAt = Date.now();
    record({ eventType: "impression" });
    tell({ event: "shown" });
  };

  return {
    tell,
    /** Saved with a draft, so a restored form continues where it was. */
    progress: () => ({ impressionAt, startedAt, completed: [...completed] }),
    shown: reportShown,
    started(): void {
      if (startedAt !== null) return;
      // A visitor who starts the form before the visibility check has run has seen the form.
      reportShown();
      startedAt = Date.now();
      record({ eventType: "started" });
      tell({ event: "started" });
    },
    completed(fieldName: string): void {
      if (completed.has(fieldName)) return;
      completed.add(fieldName);
      record({ eventType: "field_completed", fieldName });
    },
  };
}
