import { ArrowDown, ArrowUp, Mail, MessagesSquare, Plus, Webhook, X } from "lucide-react";
import type { ReactNode } from "react";
import { Button, IconButton } from "../../../components/button.tsx";
import { Menu } from "../../../components/menu.tsx";
import { notify } from "../../../data/toasts.ts";
import { type Keyed, rowKey, withKey } from "../row-key.ts";
import type { ActionDraft } from "../tool-draft.ts";

const actionLabels: Record<ActionDraft["type"], { name: string; line: string; icon: ReactNode }> = {
  email: { name: "Email", line: "Email the submission to people", icon: <Mail size={16} aria-hidden /> },
  team_chat: {
    name: "Team chat",
    line: "Post to Slack, Discord or another incoming webhook",
    icon: <MessagesSquare size={16} aria-hidden />,
  },
  webhook: { name: "Webhook", line: "Call another URL", icon: <Webhook size={16} aria-hidden /> },
};
const types = ["email", "team_chat", "webhook"] as const;
const empty = { url: "", format: null, headers: [], payload: "", message: "", recipientIds: [], to: [], subject: "" };

/** An email action that is sent to the current user. */
export function createEmailAction(userId: string | null): Keyed<ActionDraft> {
  return withKey({ ...empty, type: "email" as const, recipientIds: userId === null ? [] : [userId] });
}

/** The actions that run after a form is submitted, in order. */
export function PostActions({
  actions,
  fieldNames,
  userId,
  onChange,
  onRestore,
  fieldsOf,
}: {
  actions: Keyed<ActionDraft>[];
  fieldNames: string[];
  /** Id of the viewer, who is the first recipient of a new email action. */
  userId: string | null;
  onChange: (actions: Keyed<ActionDraft>[]) => void;
  /** Puts a removed action back into the current list. */
  onRestore: (action: Keyed<ActionDraft>, index: number) => void;
  /** The fields of an action. */
  fieldsOf: (action: Keyed<ActionDraft>, index: number) => ReactNode;
}) {
  const move = (index: number, step: number) => {
    const action = actions[index];
    if (action) onChange(actions.toSpliced(index, 1).toSpliced(index + step, 0, action));
  };
  const remove = (action: Keyed<ActionDraft>, index: number) => {
    onChange(actions.toSpliced(index, 1));
    notify("Action removed", { undo: () => onRestore(action, index) });
  };
  const hello = `New ${"{{_toolName}}"}: ${fieldNames[0] ? `{{${fieldNames[0]}}}` : ""}`;
  return (
    <div className="grid gap-4">
      {actions.map((action, index) => (
        <fieldset key={rowKey(action)} className="rounded-lg border border-line bg-raised">
          <legend className="sr-only">
            Action {index + 1}: {actionLabels[action.type].name}
          </legend>
          <div className="flex items-center gap-2 border-b border-line py-1 ps-4 pe-1">
            {actionLabels[action.type].icon}
            <span className="flex-1 font-medium">
              {index + 1}. {actionLabels[action.type].name}
            </span>
            <IconButton label={`Move action ${index + 1} up`} disabled={index === 0} onClick={() => move(index, -1)}>
              <ArrowUp size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Move action ${index + 1} down`}
              disabled={index === actions.length - 1}
              onClick={() => move(index, 1)}
            >
              <ArrowDown size={16} aria-hidden />
            </IconButton>
            <IconButton label={`Remove action ${index + 1}`} onClick={() => remove(action, index)}>
              <X size={16} aria-hidden />
            </IconButton>
          </div>
          <div className="grid gap-4 p-4">{fieldsOf(action, index)}</div>
        </fieldset>
      ))}
      <div className="flex">
        <Menu
          align="start"
          trigger={
            <Button>
              <Plus size={16} aria-hidden /> Add action
            </Button>
          }
          items={types.map((type) => ({
            label: actionLabels[type].name,
            hint: actionLabels[type].line,
            icon: actionLabels[type].icon,
            onSelect: () =>
              onChange([
                ...actions,
                type === "email"
                  ? createEmailAction(userId)
                  : withKey({ ...empty, type, message: type === "team_chat" ? hello : "" }),
              ]),
          }))}
        />
      </div>
    </div>
  );
}
