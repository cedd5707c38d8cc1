import { randomInt } from "node:crypto";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import { areMembers } from "../../auth/members/members.ts";
import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Sender } from "./team-chat.ts";

const LIFETIME_MS = 10 * MINUTE_MS;
/**
 * The alphabet has no characters that look alike. With 31^10 possible codes, none can be guessed within ten minutes
 * through a team chat.
 */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
const LENGTH = 10;

type Chat = Pick<TeamChatRow, "channelId" | "organizationId">;
export type LinkCodes = ReturnType<typeof createLinkCodes>;

/** Manages one-time codes that prove a member's identity in a team chat. Only a keyed hash of each code is stored. */
export function createLinkCodes({ db, encryption }: Pick<Deps, "db" | "encryption">) {
  const hashCode = (channelId: string, code: string) =>
    encryption.sign("team-chat-code", `${channelId}:${code.toUpperCase().replace(/[^0-9A-Z]/g, "")}`);

  return {
    /**
     * Creates a code, which replaces the member's earlier one.
     * @returns the code and its expiry (milliseconds since 1970)
     */
    async create(channelId: string, userId: string): Promise<{ code: string; expiresAt: number }> {
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
      const expiresAt = Date.now() + LIFETIME_MS;
      const row = { codeHash: hashCode(channelId, code), channelId, userId, expiresAt };
      await inTransaction(db, async (trx) => {
        await trx.deleteFrom("teamChatCodes").where("channelId", "=", channelId).where("userId", "=", userId).execute();
        await trx.insertInto("teamChatCodes").values(row).execute();
      });
      return { code, expiresAt };
    },
    /**
     * Invalidates a code.
     * @returns the member, or null when the code is unknown or expired or its member has left the organization
     */
    async redeem(
      trx: Transaction<Tables>,
      { channelId, organizationId }: Chat,
      { code, sender }: { code: string; sender: Sender },
    ): Promise<{ userId: string; name: string } | null> {
      const used = await trx
        .deleteFrom("teamChatCodes")
        .where("codeHash", "=", hashCode(channelId, code))
        .where("channelId", "=", channelId)
        .returning(["userId", "expiresAt"])
        .executeTakeFirst();
      if (!used || used.expiresAt <= Date.now()) return null;
      const { userId } = used;
      if (!(await areMembers(trx, organizationId, [userId]))) return null;
      const link = { userId, senderName: sender.name, linkedAt: Date.now() };
      await trx
        .insertInto("teamChatMembers")
        .values({ channelId, senderId: sender.id, ...link })
        .onConflict((conflict) => conflict.columns(["channelId", "senderId"]).doUpdateSet(link))
        .execute();
      const user = await trx.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirstOrThrow();
      return { userId, name: user.name };
    },
  };
}
