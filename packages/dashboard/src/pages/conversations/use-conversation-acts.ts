import { refresh, useEndpointMutation } from "../../data/queries.ts";

/**
 * The actions of a member on a conversation as a whole. If the server rejects an action, for example because a
 * colleague was faster, a toast shows the reason. Each action resolves to whether it succeeded.
 * Calls that end a request carry the epoch that the page shows, so a repeated call cannot end a newer request of the
 * visitor.
 */
export function useConversationActs({ id, epoch }: { id: string; epoch: number }) {
  const changes = ["getConversation", "listConversations"] as const;
  const options = (done?: string) => ({ changes: [...changes], ...(done ? { done } : {}) });
  const takeOver = useEndpointMutation("takeOver", options());
  const assign = useEndpointMutation("assignConversation", options());
  const returnToAgent = useEndpointMutation("returnConversation", options("Returned to the agent"));
  const close = useEndpointMutation("closeConversation", options("Closed. The agent answers if the visitor writes."));
  const resolve = useEndpointMutation("resolveConversation", options("Resolved"));
  const reopen = useEndpointMutation("reopenConversation", options("Opened again"));
  const snooze = useEndpointMutation("snoozeConversation", options("Snoozed"));
  const all = [takeOver, assign, returnToAgent, close, resolve, reopen, snooze];
  return {
    isBusy: all.some(({ isPending }) => isPending),
    resolve: () => resolve.mutateAsync({ id }).then(succeeded, failed),
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

const succeeded = () => true;

/** The mutation has already shown the error. Usually a colleague was faster, so refetch the page to show who. */
async function failed(): Promise<boolean> {
  await refresh("getConversation", "listConversations");
  return false;
}
