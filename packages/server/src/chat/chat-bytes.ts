import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Db } from "../db/open.ts";
import type { AgentRow, ConversationRow, MessageRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { addBytesToday, dailyQuotaError, readBytesToday } from "../plans/byte-quota.ts";

const DAY_S = 86_400;

type Messages = ReadonlyArray<Pick<MessageRow, "content" | "page">>;
type Turn = { conversation: Pick<ConversationRow, "organizationId" | "agentId">; messages: Messages };

export type ChatBytes = ReturnType<typeof createChatBytes>;

/** Limits how many bytes of text visitors can store per day, with an agent and from an address. */
export function createChatBytes({ db, config }: Pick<Deps, "db" | "config">) {
  const { chatBytesPerDay, chatBytesPerIp } = config.limits;
  const perAddress = chatBytesPerIp === 0 ? null : new RateLimiterMemory({ points: chatBytesPerIp, duration: DAY_S });
  return {
    /** @param ip null when limits by address do not apply @throws 429 */
    async check({ organizationId, id }: AgentRow, messages: Messages, ip: string | null): Promise<void> {
      const bytes = countBytes(messages);
      if (perAddress && ip !== null) {
        await perAddress.consume(ip, bytes).catch((result: unknown) => {
          if (result instanceof Error) throw result;
          throw dailyQuotaError("Too much text was sent from your address today.");
        });
      }
      if (chatBytesPerDay === 0) return;
      const used = await readBytesToday(db, { organizationId, subject: id });
      if (used + bytes <= chatBytesPerDay) return;
      throw dailyQuotaError("This agent cannot store more messages today.");
    },
    /** Call it in the transaction that stores the messages. */
    async count(trx: Db, { conversation, messages }: Turn): Promise<void> {
      const { organizationId, agentId } = conversation;
      const bytes = countBytes(messages);
      if (chatBytesPerDay > 0 && bytes > 0) await addBytesToday(trx, { organizationId, subject: agentId }, bytes);
    },
  };
}

const countBytes = (messages: Messages) =>
  messages.reduce((sum, { content, page }) => sum + Buffer.byteLength(content) + Buffer.byteLength(page ?? ""), 0);
