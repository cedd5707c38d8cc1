import type { ReplyTargetKind } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";
import { parseTargets, storeTargets } from "../teams/record-targets.ts";
import { takeWarnings } from "../teams/target-warnings.ts";

type Options = { conversationLog: Pick<ConversationLog, "announce">; isTest: Flag; now: number };

/**
 * Announces a target that will soon be missed. The request notes it in the same transaction, so each target is announced
 * once.
 */
export async function warnOfTarget(
  trx: Transaction<Tables>,
  timer: HandoffTimerRow,
  { conversationLog, isTest, now }: Options,
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
  // One announcement names the target that is missed first.
  const target: ReplyTargetKind | undefined = due[0];
  if (target === undefined) return;
  const { id: handoffId, organizationId, agentId, conversationId, teamId, assigneeId } = request;
  const place = { organizationId, agentId, conversationId, isTest: isTest === 1 };
  await conversationLog.announce(trx, [{ ...place, kind: "target_due", handoffId, teamId, assigneeId, target }]);
}
