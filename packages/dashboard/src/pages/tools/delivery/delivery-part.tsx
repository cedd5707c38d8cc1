import { formDeliveryLimits, toolTextLimits } from "@foyer/contract/rules/limits";
import { useState } from "react";
import { CopyField } from "../../../components/copy-field.tsx";
import { TextField } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { useRole } from "../../../data/use-role.ts";
import type { ToolDraft } from "../tool-draft.ts";
import type { PartProps, ToolDrafting } from "../tool-editor.tsx";
import { ActionFields } from "./action-fields.tsx";
import { Confirmation } from "./confirmation.tsx";
import { type Destination, ModeChoice } from "./mode-choice.tsx";
import { createEmailAction, PostActions } from "./post-actions.tsx";
import { SendTest } from "./send-test.tsx";
import { useMailFacts } from "./use-mail-facts.ts";
import { WebhookSigning } from "./webhook-signing.tsx";

/**
 * The destinations of a form's submissions: email, a webhook, the page's own code, further actions, and the visitor's
 * confirmation.
 */
export function DeliveryPart({ tool, draft }: PartProps) {
  const { values, change, errorAt } = draft;
  const { isAdmin } = useRole();
  const mail = useMailFacts();
  const { destination, choose } = useDestination(draft, mail.userId);
  const fieldNames = values.formSchema.fields.map(({ name }) => name);
  const hasWebhook = destination === "webhook" || destination === "both";
  return (
    <div className="grid max-w-3xl">
      <Section title="Submissions" description="The Submissions page lists every submission, wherever else it is sent.">
        <ModeChoice value={destination} onChange={choose} />
        {hasWebhook && (
          <TextField
            label="Webhook URL"
            type="url"
            value={values.formWebhookUrl}
            onChange={(formWebhookUrl) => change({ formWebhookUrl })}
            error={errorAt("formWebhookUrl")}
            placeholder="https://example.com/hooks/test-ride"
            help="Receives each submission as a JSON POST request. Failed deliveries are retried, and you can see every attempt."
            autoComplete="off"
            spellCheck={false}
            maxLength={formDeliveryLimits.url}
            className="font-mono"
          />
        )}
        {values.formExecutionMode !== "webhook" && <PageHandler draft={draft} />}
        {tool && <SendTest tool={tool} isDirty={draft.isDirty} />}
      </Section>
      <Section
        title="Actions"
        description="Run in order after a submission is stored. A failing action doesn't block the others."
      >
        <PostActions
          userId={mail.userId}
          actions={values.formPostActions}
          fieldNames={fieldNames}
          onChange={(formPostActions) => change({ formPostActions })}
          onRestore={(action, index) =>
            change(({ formPostActions }) => ({ formPostActions: formPostActions.toSpliced(index, 0, action) }))
          }
          fieldsOf={(action, index) => (
            <ActionFields
              action={action}
              fieldNames={fieldNames}
              mail={mail}
              onChange={(next) => change({ formPostActions: values.formPostActions.with(index, next) })}
              errorAt={(path) => errorAt(`formPostActions.${index}${path}`)}
            />
          )}
        />
      </Section>
      <Confirmation draft={draft} sendsMail={mail.sendsMail} />
      {isAdmin && tool && <WebhookSigning tool={tool} />}
    </div>
  );
}

function PageHandler({ draft: { values, change, errorAt } }: { draft: ToolDrafting }) {
  return (
    <>
      <TextField
        label="Handler name"
        value={values.formClientHandler}
        onChange={(formClientHandler) => change({ formClientHandler })}
        error={errorAt("formClientHandler")}
        help="The name of the function that receives the submission. Register it on every page with the widget:"
        placeholder="bookTestRide"
        autoComplete="off"
        spellCheck={false}
        maxLength={toolTextLimits.clientHandler}
        className="font-mono"
      />
      <CopyField label="the handler code" text={handlerCode(values.formClientHandler.trim() || "bookTestRide")} />
    </>
  );
}

/** The chosen destination, and how to change it. A webhook that has no URL yet exists only on this page. */
function useDestination({ values, change }: ToolDrafting, userId: string | null) {
  const [wantsWebhook, setWantsWebhook] = useState(false);
  return {
    destination: describeDestination(values, wantsWebhook),
    choose(destination: Destination) {
      setWantsWebhook(destination === "webhook");
      if (destination !== "email") return change({ formExecutionMode: destination });
      const hasEmail = values.formPostActions.some(({ type }) => type === "email");
      change({
        formExecutionMode: "webhook",
        formWebhookUrl: "",
        ...(hasEmail ? {} : { formPostActions: [...values.formPostActions, createEmailAction(userId)] }),
      });
    },
  };
}

function describeDestination(
  { formExecutionMode: mode, formWebhookUrl, formPostActions }: ToolDraft,
  wantsWebhook: boolean,
): Destination | null {
  if (mode !== "webhook") return mode;
  if (wantsWebhook || formWebhookUrl.trim() !== "") return "webhook";
  return formPostActions.some(({ type }) => type === "email") ? "email" : null;
}

function handlerCode(name: string): string {
  return `Foyer.registerFormHandler(${JSON.stringify(name)}, async (formData) => {
  // formData maps field names to values
  return { success: true, message: "Thank you" };
});`;
}
