import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { Button, IconButton } from "../../components/button.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { findUnfilled } from "./canned-text.ts";
import type { ReplyActions } from "./composer-text.ts";
import { describeActions } from "./describe-actions.ts";
import { sendKeyName, useSendKey } from "./use-send-key.ts";

/** What else happens when the reply is sent, with a button that removes it. */
export function ActionsLine({ actions, onRemove }: { actions: ReplyActions; onRemove: () => void }) {
  const tags = useQuery({ ...endpointQuery("listTags"), enabled: actions.tagIds !== undefined });
  const members = useQuery({ ...endpointQuery("listMembers"), enabled: actions.assign?.userId !== undefined });
  const teams = useQuery({ ...endpointQuery("listTeams"), enabled: actions.assign?.teamId !== undefined });
  const queries = [tags, members, teams].filter(({ isEnabled }) => isEnabled);
  const failed = queries.filter(({ data, isError }) => data === undefined && isError);
  const isLoading = failed.length === 0 && queries.some(({ data }) => data === undefined);
  const names = { tags: tags.data ?? [], members: members.data ?? [], teams: teams.data ?? [] };
  return (
    <p role={failed.length > 0 ? "alert" : undefined} className="flex items-center gap-2 text-sm text-soft">
      <span className="min-w-0 flex-1">
        {failed.length > 0
          ? "Something else happens after sending, but its description could not be loaded."
          : isLoading
            ? "After sending: …"
            : `After sending: ${describeActions(actions, names)}`}
      </span>
      {failed.length > 0 && (
        <Button
          variant="plain"
          aria-label="Load what happens after sending again"
          disabled={failed.some(({ isFetching }) => isFetching)}
          onClick={() => {
            for (const query of failed) void query.refetch();
          }}
        >
          Try again
        </Button>
      )}
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
