import type { ReplyTargetKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";
import { parseTargets, storeTargets } from "../teams/record-targets.ts";
import { takeWarnings } from "../teams/target-warnings.ts";
import type { NoticeRecorder } from "./record-notices.ts";

/**
 * Notifies of a target that will soon be missed: the member who has the conversation, or the team that the visitor waits
 * for. The request notes it in the same transaction, so each target causes one notice.
 */
export async function warnOfTarget(
  trx: Transaction<Tables>,
  timer: HandoffTimerRow,
  { recorder, now }: { recorder: Pick<NoticeRecorder, "warn">; now: number },
): Promise<void> {
  const request = await trx
    .selectFrom("handoffs")
    .innerJoin("conversations", "conversations.id", "handoffs.conversationId")
    .select(["handoffs.id", "handoffs.organizationId", "handoffs.agentId", "handoffs.conversationId"])
    .select(["handoffs.teamId", "handoffs.targets", "conversations.assigneeId"])
    .where("handoffs.id", "=", timer.handoffId)
    .where("handoffs.organizationId", "=", timer.organizationId)
    .where("handoffs.endedAt", "is", null)
    .executeTakeFirst();
  if (!request || request.targets === null) return;
  const { due, targets } = takeWarnings(parseTargets(request), now);
  await storeTargets(trx, request, { targets });
  // One notice names the target that is missed first.
  const target: ReplyTargetKind | undefined = due[0];
  if (target !== undefined) await recorder.warn(trx, request, target);
}
