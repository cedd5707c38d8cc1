import { useQuery } from "@tanstack/react-query";
import { Copyable } from "../../../components/copy-field.tsx";
import { TextField } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { ask } from "../../../data/queries.ts";
import type { PartProps } from "../tool-editor.tsx";
import { useRole } from "../use-role.ts";
import { ModeChoice } from "./mode-choice.tsx";
import { PostActions } from "./post-actions.tsx";
import { SendTest } from "./send-test.tsx";
import { WebhookSigning } from "./webhook-signing.tsx";

/** Where a form's answers go: a webhook, the page's own code, and what happens after that. */
export function DeliveryPart({ tool, draft }: PartProps) {
  const { values, change, errorAt } = draft;
  const { isAdmin } = useRole();
  const members = useQuery(ask("listMembers")).data ?? null;
  const sendsMail = useQuery(ask("getSignInOptions")).data?.sendsMail !== false;
  const mode = values.formExecutionMode;
  const handler = values.formClientHandler.trim() || "bookTestRide";
  return (
    <div className="grid max-w-3xl">
      <Section title="Where answers go" description="They are kept here in any case, under Forms.">
        <ModeChoice mode={mode} onChange={(formExecutionMode) => change({ formExecutionMode })} />
        {mode !== "client" && (
          <TextField
            label="Webhook URL"
            type="url"
            value={values.formWebhookUrl}
            onChange={(formWebhookUrl) => change({ formWebhookUrl })}
            error={errorAt("formWebhookUrl")}
            placeholder="https://example.com/hooks/test-ride"
            help="Gets every answer as JSON by POST. What fails is tried again; every attempt can be seen."
            {...{ autoComplete: "off", spellCheck: false, maxLength: 2_000, className: "font-mono" }}
          />
        )}
        {mode !== "webhook" && (
          <>
            <TextField
              label="Handler’s name"
              value={values.formClientHandler}
              onChange={(formClientHandler) => change({ formClientHandler })}
              error={errorAt("formClientHandler")}
              help="The function of your page that gets the answers. Register it on every page that has the widget:"
              {...{
                placeholder: "bookTestRide",
                autoComplete: "off",
                spellCheck: false,
                maxLength: 200,
                className: "font-mono",
              }}
            />
            <Copyable label="the handler’s code" text={handlerCode(handler)} />
          </>
        )}
        {tool && <SendTest tool={tool} isDirty={draft.isDirty} />}
      </Section>
      <Section title="After that" description="In this order, once the answers are kept. A failure holds nothing up.">
        <PostActions
          mail={{ members, sendsMail }}
          actions={values.formPostActions}
          fieldNames={values.formSchema.fields.map(({ name }) => name)}
          onChange={(formPostActions) => change({ formPostActions })}
          onRestore={(action, index) =>
            change(({ formPostActions }) => ({ formPostActions: formPostActions.toSpliced(index, 0, action) }))
          }
          errorAt={errorAt}
        />
      </Section>
      {isAdmin && tool && <WebhookSigning tool={tool} />}
    </div>
  );
}

function handlerCode(name: string): string {
  return `Foyer.registerFormHandler(${JSON.stringify(name)}, async (formData) => {
  // formData has the answers by the fields' names
  return { success: true, message: "Thank you" };
});`;
}
