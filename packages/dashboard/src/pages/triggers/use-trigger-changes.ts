import { FoyerError } from "@foyer/sdk";
import { useState } from "react";
import { toSentence } from "../../components/use-draft.ts";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { api } from "../../data/api.ts";
import { endpointQuery, isConflict, queryClient, refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import type { Trigger } from "./trigger-labels.ts";
import { changesForOrder } from "./trigger-order.ts";

/** Changes that the list shows immediately and reverts when the server refuses them. */
export function useTriggerChanges(agentId: string) {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const edits = useAgentEdits(agentId);
  const { queryKey } = endpointQuery("listTriggers", { agentId });
  const show = (change: (triggers: Trigger[]) => Trigger[]) =>
    queryClient.setQueryData<Trigger[]>(queryKey, (triggers) => triggers && change(triggers));

  /** Refetches the shown data once `act` has ended, whether or not it succeeded. */
  const change = async (ids: string[], what: string, act: () => Promise<unknown>) => {
    setBusy((ids_) => new Set([...ids_, ...ids]));
    try {
      await act();
    } catch (error) {
      if (!isConflict(error)) notify(`${what} ${explainFailure(error)}`, { isWrong: true });
    } finally {
      await refresh("listTriggers", "getTrigger");
      setBusy((busy) => new Set([...busy].filter((id) => !ids.includes(id))));
    }
  };

  return {
    /** Triggers whose change is still being saved. */
    busy,
    async toggle({ id, name, isEnabled }: Trigger) {
      await queryClient.cancelQueries({ queryKey });
      show((triggers) => triggers.map((one) => (one.id === id ? { ...one, isEnabled: !isEnabled } : one)));
      await change([id], `${name} is still ${isEnabled ? "enabled" : "disabled"}.`, () =>
        edits.write((ifMatch) => api.toggleTrigger({ id }, { ifMatch })),
      );
    },
    async reorder(wanted: Trigger[]) {
      const changes = changesForOrder(wanted);
      await queryClient.cancelQueries({ queryKey });
      const priorities = new Map(changes.map(({ id, priority }) => [id, priority]));
      show(() => wanted.map((one) => ({ ...one, priority: priorities.get(one.id) ?? one.priority })));
      const save = () =>
        edits.write(async (ifMatch) => {
          // Each write changes the state, and the first one has checked it.
          let match = ifMatch;
          for (const { id, priority } of changes) {
            await api.updateTrigger({ id, body: { priority } }, { ifMatch: match });
            match = "*";
          }
        });
      await change([...priorities.keys()], "The order was not saved.", save);
    },
  };
}

function explainFailure(error: unknown): string {
  if (!(error instanceof FoyerError)) return String(error);
  const [detail] = error.details;
  if (detail?.path === "actionConfig.toolId") return "Its form no longer exists. Choose another one first.";
  return detail ? toSentence(detail.message) : error.message;
}
