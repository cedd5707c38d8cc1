import type { ConversationStanding } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid } from "../errors.ts";
import type { ConversationLog } from "./log/log.ts";
import type { ConversationService } from "./service.ts";

const MAX_SNOOZE_MS = 366 * DAY_MS;

type Caller = { organizationId: string; userId: string | null };

export type StatusService = ReturnType<typeof createStatusService>;

/** Resolves, reopens and snoozes conversations for members and API keys. */
export function createStatusService(
  { db }: Pick<Deps, "db">,
  { conversations, log }: { conversations: ConversationService; log: ConversationLog },
) {
  async function standingOf(organizationId: string, id: string): Promise<ConversationStanding> {
    return conversations.standingOf(await conversations.existing({ organizationId }, id));
  }

  return {
    /** If a person has the conversation or the visitor waits for one, that ends, too. */
    async resolve({ organizationId, userId }: Caller, id: string): Promise<ConversationStanding> {
      await conversations.existing({ organizationId }, id);
      const by = { userId, isAutomatic: false };
      await inTransaction(db, (trx) => log.resolve(trx, { organizationId, conversationId: id }, { by }));
      return standingOf(organizationId, id);
    },
    async reopen({ organizationId, userId }: Caller, id: string): Promise<ConversationStanding> {
      await conversations.existing({ organizationId }, id);
      const by = { userId, isAutomatic: false };
      await inTransaction(db, (trx) => log.reopen(trx, { organizationId, conversationId: id }, by));
      return standingOf(organizationId, id);
    },
    /** @throws 400 for a time that has passed or is too far away, 409 while the visitor waits for a person */
    async snooze({ organizationId, userId }: Caller, id: string, until: string): Promise<ConversationStanding> {
      const at = readSnoozeTime(until);
      await conversations.existing({ organizationId }, id);
      const isSnoozed = await inTransaction(db, (trx) =>
        log.snooze(trx, { organizationId, conversationId: id }, { until: at, userId }),
      );
      if (isSnoozed) return standingOf(organizationId, id);
      throw new AppError("CONFLICT", "The visitor is waiting for a person. Take the conversation over, or return it.");
    },
  };
}

/** @returns milliseconds since 1970. @throws 400 for a time that has passed or is too far away */
export function readSnoozeTime(until: string): number {
  const at = Date.parse(until);
  const now = Date.now();
  if (at <= now) throw invalid("until", "must be in the future");
  if (at > now + MAX_SNOOZE_MS) throw invalid("until", "must be within a year");
  return at;
}
