import { refresh, useEndpointMutation } from "../../data/queries.ts";

/**
 * The actions of a member on a conversation as a whole. A rejection, for example because a colleague was faster, is
 * shown as a toast. Each action resolves to whether it succeeded.
 */
export function useConversationActs(conversationId: string) {
  const changes = ["getConversation", "listConversations"] as const;
  const options = (done?: string) => ({ changes: [...changes], ...(done ? { done } : {}) });
  const id = conversationId;
  const takeOver = useEndpointMutation("takeOver", options());
  const assign = useEndpointMutation("assignConversation", options());
  const giveBack = useEndpointMutation("returnConversation", options("Returned to the agent"));
  const close = useEndpointMutation("closeConversation", options("Closed. The agent answers if the visitor writes."));
  return {
    isBusy: takeOver.isPending || assign.isPending || giveBack.isPending || close.isPending,
    takeOver: () => takeOver.mutateAsync({ id }).then(succeeded, failed),
    assign: (userId: string) => assign.mutateAsync({ id, body: { userId } }).then(succeeded, failed),
    giveBack: (note: string) =>
      giveBack.mutateAsync({ id, body: { note: note.trim() || null } }).then(succeeded, failed),
    close: () => close.mutateAsync({ id }).then(succeeded, failed),
  };
}

const succeeded = () => true;

/** The mutation has shown the error. Usually a colleague was faster, so the page is refetched to show who. */
async function failed(): Promise<boolean> {
  await refresh("getConversation", "listConversations");
  return false;
}
