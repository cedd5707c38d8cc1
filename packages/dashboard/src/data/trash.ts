import type { TrashKind } from "@foyer/contract";
import type { EndpointName } from "@foyer/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { AgentEdits } from "./agent-state.ts";
import { api } from "./api.ts";
import { endpointQuery, isConflict, refresh } from "./queries.ts";
import { notify } from "./toasts.ts";

type Named = { id: string; name: string };

const trashCalls = {
  agent: api.trashAgent,
  conversation: api.trashConversation,
  document: api.trashDocument,
  tool: api.trashTool,
  trigger: api.trashTrigger,
} satisfies Record<TrashKind, unknown>;

const restoreCalls = {
  agent: api.restoreAgent,
  conversation: api.restoreConversation,
  document: api.restoreDocument,
  tool: api.restoreTool,
  trigger: api.restoreTrigger,
} satisfies Record<TrashKind, unknown>;

/** The queries that list things of each kind, and the one that shows a single thing. */
const shownBy: Record<TrashKind, { lists: EndpointName[]; single: EndpointName }> = {
  agent: { lists: ["listAgents", "getPlan", "listConversations"], single: "getAgent" },
  conversation: { lists: ["listConversations"], single: "getConversation" },
  document: { lists: ["listDocuments", "getDocumentLimits"], single: "getDocument" },
  tool: {
    lists: ["listTools", "getToolLimits", "listTriggers", "getAgent", "compareAgentVersions"],
    single: "getTool",
  },
  trigger: { lists: ["listTriggers", "getTriggerStats", "getAgent", "compareAgentVersions"], single: "getTrigger" },
};

/**
 * Moves something to the trash, and offers to undo it. The message is "{name} deleted" either way, because a server
 * without a trash deletes at once. `edits` belong to the agent whose tool or trigger it is.
 */
export function useMoveToTrash(kind: TrashKind, edits?: AgentEdits) {
  return useMutation({
    mutationFn: ({ id }: Named) =>
      edits ? edits.write((ifMatch) => trashCalls[kind]({ id }, { ifMatch })) : trashCalls[kind]({ id }),
    async onSuccess({ deletesAt }, named) {
      const undo = () => void restoreFromTrash(kind, named).catch(() => {});
      notify(`${named.name} deleted`, deletesAt === null ? {} : { undo });
      // The page of what was deleted is still open, and its own query would fail.
      await refresh("listTrash", ...shownBy[kind].lists);
    },
    onError: (error) => {
      if (!isConflict(error)) notify(error.message, { isWrong: true });
    },
  });
}

/** Restores something, and says whether that worked. @throws after it has shown the error */
export async function restoreFromTrash(kind: TrashKind, { id, name }: Named): Promise<void> {
  try {
    await restoreCalls[kind]({ id });
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), { isWrong: true });
    throw error;
  }
  notify(`${name} restored`);
  await refresh("listTrash", ...shownBy[kind].lists, shownBy[kind].single);
}

/** For how many days the server keeps what is deleted; 0 if it has no trash, undefined until that is known. */
export function useTrashDays(): number | undefined {
  return useQuery({ ...endpointQuery("listTrash", { limit: 1 }), staleTime: Number.POSITIVE_INFINITY }).data?.keptDays;
}
