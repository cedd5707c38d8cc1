import type { RecordHandoff } from "../conversations/handoff-change.ts";
import { afterCommit } from "../db/transaction.ts";
import { failpoint } from "../failpoints.ts";

export type HandoffRecorders = ReturnType<typeof createHandoffRecorders>;

/**
 * Distributes every change. Notices, bots and live streams register a recorder when the app is created. A recorder runs
 * in the transaction of the change, so what it writes is committed together with the change. Use `afterCommit` for
 * everything that is not a write.
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
