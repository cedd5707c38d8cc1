import { maxPageUrlLength, pageLimits } from "@foyer/contract/rules/limits";
import { isAtLeast } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { toActingVisitor } from "../../../components/acting-visitor.ts";
import { TextArea, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { VisitorFields } from "../../../components/visitor-fields.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { type PlaygroundVisitor, toPage } from "./use-playground-visitor.ts";

const identities = [
  { value: "self", label: "You", line: "Your name and email address, without proof." },
  { value: "anonymous", label: "Anonymous", line: "A visitor your page doesn't identify." },
  {
    value: "verified",
    label: "Verified",
    line: "A user of your site. Foyer signs the token that your server would sign.",
  },
] as const;

/** Chooses the visitor and the page for the member's chat in the playground. */
export function VisitorDialog({
  visitor,
  onChange,
  onClose,
}: {
  visitor: PlaygroundVisitor;
  onChange: (visitor: PlaygroundVisitor) => void;
  onClose: () => void;
}) {
  const role = useQuery(endpointQuery("getSession")).data?.role ?? "member";
  const dialog = useDialogForm(visitor, async (values) => {
    if (values.identity === "verified") toActingVisitor(values);
    toPage(values);
    onChange(values);
    onClose();
  });
  const { values, change, errorAt } = dialog;
  const isAdmin = isAtLeast(role, "admin");
  const choices = identities.filter(({ value }) => isAdmin || value !== "verified");
  const onSubmit = (event: FormEvent) => {
    // React propagates the event to a form around the playground.
    event.stopPropagation();
    return dialog.onSubmit(event);
  };
  return (
    <FormDialog
      title="Chat as a visitor"
      description="Changing the visitor starts a new conversation. The page is sent with each message."
      action="Apply"
      form={{ ...dialog, onSubmit }}
      onClose={onClose}
    >
      <div className="grid gap-2">
        <SegmentedControl
          label="Visitor"
          value={values.identity}
          onChange={(identity) => change({ identity })}
          options={choices}
        />
        <p className="text-sm text-soft">{identities.find(({ value }) => value === values.identity)?.line}</p>
        {!isAdmin && <p className="text-sm text-soft">Only owners and admins can act as a verified visitor.</p>}
      </div>
      {values.identity === "verified" && <VisitorFields values={values} onChange={change} errorAt={errorAt} />}
      <TextField
        label="Page URL"
        isOptional
        value={values.pageUrl}
        onChange={(pageUrl) => change({ pageUrl })}
        error={errorAt("pageUrl")}
        placeholder="https://shop.example/bikes/tern"
        inputMode="url"
        maxLength={maxPageUrlLength}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
      <TextField
        label="Page title"
        isOptional
        value={values.pageTitle}
        onChange={(pageTitle) => change({ pageTitle })}
        error={errorAt("pageTitle")}
        maxLength={pageLimits.titleCharacters}
        autoComplete="off"
      />
      <TextArea
        label="Page context"
        isOptional
        help="A JSON object, as your page would pass to Foyer.setContext."
        value={values.pageContext}
        onChange={(pageContext) => change({ pageContext })}
        error={errorAt("pageContext")}
        placeholder={'{ "productId": "tern" }'}
        spellCheck={false}
        className="font-mono"
      />
    </FormDialog>
  );
}
