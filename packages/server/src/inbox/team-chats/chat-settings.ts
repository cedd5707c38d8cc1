import type { TeamChatView } from "@foyer/contract";
import {
  type BotFieldName,
  type ChatPlatform,
  type ChatPlatformName,
  chatPlatforms,
} from "@foyer/contract/rules/chat-platforms";
import { sql, type Transaction } from "kysely";
import { databaseNow } from "../../db/database-clock.ts";
import { isDuplicate } from "../../db/database-errors.ts";
import type { TeamChatRow } from "../../db/tables/team-chats.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid } from "../../errors.ts";
import { botClients } from "./bot-clients.ts";
import { type ChatInfo, type TeamChat, TeamChatError } from "./team-chat.ts";

type Trx = Transaction<Tables>;
type Credentials = { botToken: string; appToken: string | null };
type ChatDeps = Pick<Deps, "db" | "databaseKind" | "config" | "outbound" | "encryption">;

/** The settings of a bot as entered by a member. Omitted settings keep their values. */
type ChatInput = { chatId?: string; botToken?: string; appToken?: string };

/** Settings that the platform has accepted, or that could not be checked because it was unreachable. */
type CheckedChat = { platform: ChatPlatformName; chatId: string; credentials: Credentials; info: ChatInfo | null };

/** The timeout of the check, in milliseconds. It is short because a member is waiting for the result. */
const CHECK_MS = 15_000;

type Channel = { id: string; organizationId: string; isEnabled: 0 | 1 };
type OpenChat = ReturnType<typeof createOpenChat>;

/** Creates the clients of bots. `open` decrypts the credentials of a stored bot. */
export function createOpenChat({ config, outbound, encryption }: Pick<Deps, "config" | "outbound" | "encryption">) {
  const connect = ({
    platform,
    chatId,
    credentials: { botToken, appToken },
    organizationId = null,
  }: {
    platform: ChatPlatformName;
    chatId: string;
    credentials: Credentials;
    organizationId?: string | null;
  }): TeamChat =>
    botClients[platform](outbound, {
      baseUrl: config.teamChats[platform],
      organizationId,
      botToken,
      appToken,
      chatId,
    });
  const decryptCredentials = ({
    channelId,
    credentials,
  }: Pick<TeamChatRow, "channelId" | "credentials">): Credentials =>
    JSON.parse(encryption.decrypt(credentials, channelId));
  return {
    connect,
    credentialsOf: decryptCredentials,
    open: (row: TeamChatRow) => connect({ ...row, credentials: decryptCredentials(row) }),
  };
}

/** Checks, stores and reads the settings of bots. */
export function createChatSettings(deps: ChatDeps, openChat: OpenChat) {
  return { ...createChecks(openChat), ...createWrites(deps), ...createReads(deps) };
}

function createChecks(openChat: OpenChat) {
  async function checkWithPlatform(
    platform: ChatPlatformName,
    chatId: string,
    credentials: Credentials,
  ): Promise<CheckedChat> {
    const deadline = AbortSignal.timeout(CHECK_MS);
    const unchecked = { platform, chatId, credentials, info: null };
    try {
      return { ...unchecked, info: await openChat.connect({ platform, chatId, credentials }).check(deadline) };
    } catch (error) {
      if (deadline.aborted) return unchecked;
      if (!(error instanceof TeamChatError)) throw error;
      if (error.problem === "moved" && error.chatId) return checkWithPlatform(platform, error.chatId, credentials);
      if (error.problem === "credentials") throw invalid("botToken", error.message);
      if (error.problem === "chat" || error.problem === "rejected") throw invalid("chatId", error.message);
      // The bot connects as soon as the platform is reachable. Until then, the channel shows the problem.
      return unchecked;
    }
  }

  return {
    /**
     * Checks new settings with the platform. Settings that `input` omits come from `stored`, the existing bot.
     * @throws 400 naming the setting that is missing, malformed or rejected by the platform
     */
    async check(platform: ChatPlatformName, input: ChatInput, stored?: TeamChatRow): Promise<CheckedChat> {
      const storedCredentials = stored && openChat.credentialsOf(stored);
      const { fields }: ChatPlatform = chatPlatforms[platform];
      const readField = (name: BotFieldName): string => {
        const value = (input[name] ?? (name === "chatId" ? stored?.chatId : storedCredentials?.[name]))?.trim();
        if (!value) throw invalid(name, `is required for ${platform}`, "required");
        return value;
      };
      const chatId = readField("chatId");
      const botToken = readField("botToken");
      const appToken = fields.appToken ? readField("appToken") : null;
      checkFormat("botToken", botToken, fields.botToken);
      if (fields.appToken && appToken) checkFormat("appToken", appToken, fields.appToken);
      checkFormat("chatId", chatId, fields.chatId);
      return checkWithPlatform(platform, chatId, { botToken, appToken });
    },
  };
}

function createWrites({ databaseKind, encryption, db }: ChatDeps) {
  const now = databaseNow(databaseKind);
  const hashToken = ({ botToken }: Credentials) => encryption.sign("team-chat-token", botToken);

  function createColumns(channelId: string, { platform, chatId, credentials, info }: CheckedChat) {
    return {
      platform,
      chatId,
      credentials: encryption.encrypt(JSON.stringify(credentials), channelId),
      tokenHash: hashToken(credentials),
      botName: info?.botName ?? null,
      chatTitle: info?.chatTitle ?? null,
      hasTopics: info?.hasTopics ? 1 : 0,
      cursor: null,
      state: "connecting",
      problem: null,
      failures: 0,
    } as const;
  }

  return {
    /** @throws 409 when another channel has the same bot */
    async insert(trx: Trx, channel: Channel, checked: CheckedChat): Promise<void> {
      const { id: channelId, organizationId, isEnabled } = channel;
      const row = { channelId, organizationId, ...createColumns(channelId, checked), fence: 0 };
      const dueAt = isEnabled === 1 ? now : null;
      await trx
        .insertInto("teamChats")
        .values({ ...row, dueAt })
        .execute()
        .catch(explainDuplicate);
    },
    /**
     * Replaces the settings. If the chat or the bot changes, existing threads are deleted, because they cannot be
     * continued.
     */
    async update(trx: Trx, stored: TeamChatRow, checked: CheckedChat): Promise<void> {
      const { channelId } = stored;
      const isDifferentChat = checked.chatId !== stored.chatId || hashToken(checked.credentials) !== stored.tokenHash;
      if (isDifferentChat) await trx.deleteFrom("teamChatThreads").where("channelId", "=", channelId).execute();
      await trx
        .updateTable("teamChats")
        .set({ ...createColumns(channelId, checked), fence: sql`fence + 1` })
        .$if(stored.dueAt !== null, (query) => query.set({ dueAt: now }))
        .where("channelId", "=", channelId)
        .execute()
        .catch(explainDuplicate);
    },
    /** Starts or stops receiving messages. The new fence invalidates the lease of the process that follows the bot. */
    async setEnabled(trx: Trx, channelId: string, isEnabled: boolean): Promise<void> {
      await trx
        .updateTable("teamChats")
        .set({ fence: sql`fence + 1`, dueAt: isEnabled ? now : null, state: "connecting", problem: null, failures: 0 })
        .where("channelId", "=", channelId)
        .execute();
    },
    /** Removes a member's link. */
    async unlink(channelId: string, userId: string): Promise<void> {
      await db.deleteFrom("teamChatMembers").where("channelId", "=", channelId).where("userId", "=", userId).execute();
    },
  };
}

function createReads({ db }: ChatDeps) {
  return {
    async stored(organizationId: string, channelId: string): Promise<TeamChatRow | undefined> {
      return db
        .selectFrom("teamChats")
        .selectAll()
        .where("channelId", "=", channelId)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
    },
    /** Reads what members can see of the organization's bots, by channel id. */
    async views(organizationId: string): Promise<Map<string, TeamChatView>> {
      const rows = await db.selectFrom("teamChats").selectAll().where("organizationId", "=", organizationId).execute();
      const linked = await db
        .selectFrom("teamChatMembers")
        .innerJoin("teamChats", "teamChats.channelId", "teamChatMembers.channelId")
        .innerJoin("members", (join) =>
          join
            .onRef("members.userId", "=", "teamChatMembers.userId")
            .onRef("members.organizationId", "=", "teamChats.organizationId"),
        )
        .innerJoin("users", "users.id", "members.userId")
        .select(["teamChatMembers.channelId", "users.id as userId", "users.name", "teamChatMembers.senderName"])
        .where("teamChats.organizationId", "=", organizationId)
        .orderBy("teamChatMembers.linkedAt")
        .execute();
      const linkedByChannel = Map.groupBy(linked, ({ channelId }) => channelId);
      return new Map(rows.map((row) => [row.channelId, toView(row, linkedByChannel.get(row.channelId) ?? [])]));
    },
  };
}

function toView(
  { chatId, botName, chatTitle, state, problem }: TeamChatRow,
  members: Array<{ userId: string; name: string; senderName: string }>,
): TeamChatView {
  const linked = members.map(({ userId, name, senderName }) => ({ userId, name, senderName }));
  return { chatId, botName, chatTitle, state, problem, members: linked };
}

function checkFormat(path: string, value: string, { pattern, example }: { pattern: string; example: string }): void {
  if (!new RegExp(pattern).test(value)) throw invalid(path, `must look like ${example}`, "format");
}

function explainDuplicate(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw new AppError("CONFLICT", "Another notice channel uses this bot. Each channel needs its own bot.");
}
