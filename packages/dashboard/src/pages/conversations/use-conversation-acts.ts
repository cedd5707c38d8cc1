import { api } from "../../data/api.ts";
import { refresh, useEndpointMutation } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import type { ConversationDetail } from "./split-reply.ts";

/**
 * The actions of a member on a conversation as a whole. If the server rejects an action, for example because a
 * colleague was faster, a toast shows the reason. Each action resolves to whether it succeeded.
 * Calls that end a request carry the epoch that the page shows, so a repeated call cannot end a newer request of the
 * visitor.
 */
export function useConversationActs(conversation: ConversationDetail) {
  const { id, epoch } = conversation;
  const changes = ["getConversation", "listConversations"] as const;
  const options = (done?: string) => ({ changes: [...changes], ...(done ? { done } : {}) });
  const takeOver = useEndpointMutation("takeOver", options());
  const assign = useEndpointMutation("assignConversation", options());
  const returnToAgent = useEndpointMutation("returnConversation", options("Returned to the agent"));
  const close = useEndpointMutation("closeConversation", options("Closed. The agent answers if the visitor writes."));
  const resolve = useEndpointMutation("resolveConversation", options());
  const reopen = useEndpointMutation("reopenConversation", options("Opened again"));
  const snooze = useEndpointMutation("snoozeConversation", options("Snoozed"));
  const all = [takeOver, assign, returnToAgent, close, resolve, reopen, snooze];
  return {
    isBusy: all.some(({ isPending }) => isPending),
    resolve: () =>
      resolve.mutateAsync({ id }).then(() => {
        notify("Resolved", { undo: () => void undoResolve(conversation) });
        return true;
      }, failed),
    reopen: () => reopen.mutateAsync({ id }).then(succeeded, failed),
    snooze: (until: Date) => snooze.mutateAsync({ id, body: { until: until.toISOString() } }).then(succeeded, failed),
    takeOver: () => takeOver.mutateAsync({ id }).then(succeeded, failed),
    assign: (userId: string) => assign.mutateAsync({ id, body: { userId } }).then(succeeded, failed),
    assignTeam: (teamId: string) => assign.mutateAsync({ id, body: { teamId } }).then(succeeded, failed),
    returnToAgent: (note: string) =>
      returnToAgent.mutateAsync({ id, body: { note: note.trim() || null, epoch } }).then(succeeded, failed),
    close: () => close.mutateAsync({ id, epoch }).then(succeeded, failed),
  };
}

/** Opens the conversation again, and gives it back to who had it. */
async function undoResolve({ id, handler, assignee }: ConversationDetail): Promise<void> {
  try {
    await api.reopenConversation({ id });
    if (handler === "human" && assignee?.userId) {
      await api.assignConversation({ id, body: { userId: assignee.userId } });
    }
    if (handler === "waiting") await api.requestHuman({ id, body: {} });
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), { isWrong: true });
  }
  await refresh("getConversation", "listConversations");
}

const succeeded = () => true;

/** The mutation has already shown the error. Usually a colleague was faster, so refetch the page to show who. */
async function failed(): Promise<boolean> {
  await refresh("getConversation", "listConversations");
  return false;
}
