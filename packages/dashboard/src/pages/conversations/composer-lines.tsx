import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { findUnfilled } from "./canned-text.ts";
import type { ReplyActions } from "./composer-text.ts";
import { describeActions } from "./describe-actions.ts";
import { sendKeyName, useSendKey } from "./use-send-key.ts";

/** What else happens when the reply is sent, with a button that removes it. */
export function ActionsLine({ actions, onRemove }: { actions: ReplyActions; onRemove: () => void }) {
  const { data: tags } = useQuery(endpointQuery("listTags"));
  const { data: members } = useQuery(endpointQuery("listMembers"));
  const { data: teams } = useQuery(endpointQuery("listTeams"));
  if (!tags || !members || !teams) return null;
  return (
    <p className="flex items-center gap-2 text-sm text-soft">
      <span className="min-w-0 flex-1">After sending: {describeActions(actions, { tags, members, teams })}</span>
      <IconButton label="Send without these actions" onClick={onRemove}>
        <X size={16} aria-hidden />
      </IconButton>
    </p>
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
