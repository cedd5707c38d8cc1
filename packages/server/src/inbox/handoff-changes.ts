import type { RecordHandoff } from "../conversations/handoff-change.ts";
import { afterCommit } from "../db/transaction.ts";
import { failpoint } from "../failpoints.ts";

export type HandoffRecorders = ReturnType<typeof createHandoffRecorders>;

/**
 * Distributes every change of a handoff to recorders, which notices, bots and live streams register when the app is
 * created. A recorder runs in the transaction of the change, so its writes are committed together with the change. Use
 * `afterCommit` for everything other than writes.
 */
export function createHandoffRecorders() {
  const recorders: RecordHandoff[] = [];
  const record: RecordHandoff = async (trx, change) => {
    for (const one of recorders) await one(trx, change);
    failpoint("handoff.committing");
    afterCommit(trx, () => failpoint("handoff.committed"));
  };
  return {
    record,
    onHandoff(recorder: RecordHandoff): void {
      recorders.push(recorder);
    },
  };
}
