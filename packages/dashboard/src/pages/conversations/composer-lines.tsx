import { X } from "lucide-react";
import { Button, IconButton } from "../../components/button.tsx";
import { findUnfilled } from "./canned-text.ts";
import type { ReplyActions } from "./composer-text.ts";
import { describeActions } from "./describe-actions.ts";
import { useActionNames } from "./use-action-names.ts";
import { sendKeyName, useSendKey } from "./use-send-key.ts";

/** What else happens when the reply is sent, with a button that removes it. */
export function ActionsLine({ actions, onRemove }: { actions: ReplyActions; onRemove: () => void }) {
  const { tagIds, assign } = actions;
  const wanted = { tags: tagIds !== undefined, members: Boolean(assign?.userId), teams: Boolean(assign?.teamId) };
  const { names, isFailed, isRetrying, retry } = useActionNames(wanted);
  return (
    <div className="flex items-center gap-2 text-sm text-soft">
      <p className="min-w-0 flex-1">After sending: {describeActions(actions, names)}</p>
      {isFailed && <NamesNotLoaded isRetrying={isRetrying} onRetry={retry} />}
      <IconButton label="Send without these actions" onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Says that names of actions could not be loaded, and loads them again. */
export function NamesNotLoaded({ isRetrying, onRetry }: { isRetrying: boolean; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 text-sm text-soft">
      <span>Some names could not be loaded.</span>
      <Button variant="plain" disabled={isRetrying} onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Names the placeholders that the visitor would see, and the key that sends and resolves. */
export function SendHints({ text }: { text: string }) {
  const { resolves } = useSendKey();
  const unfilled = findUnfilled(text);
  return (
    <>
      <p role="status" className="text-sm text-warning empty:hidden">
        {unfilled.length > 0 && `Not filled in: ${unfilled.join(", ")}. The visitor would see it like this.`}
      </p>
      {resolves && (
        <p className="text-sm text-soft [@media(hover:none)]:hidden">Enter sends. {sendKeyName} sends and resolves.</p>
      )}
    </>
  );
}
