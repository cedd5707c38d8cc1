import type { ChatPlatformName } from "@foyer/contract/rules/chat-platforms";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { createSlackChat } from "./slack.ts";
import type { TeamChat } from "./team-chat.ts";
import { createTelegramChat } from "./telegram.ts";

/** The settings of a bot. `appToken` is null on platforms without one. */
export type BotSettings = {
  baseUrl: string;
  organizationId: string | null;
  botToken: string;
  appToken: string | null;
  chatId: string;
};

/** Creates the client of a bot, by platform. */
export const botClients: Record<ChatPlatformName, (outbound: Outbound, settings: BotSettings) => TeamChat> = {
  telegram: (outbound, { baseUrl, botToken, chatId }) =>
    createTelegramChat(outbound, { baseUrl, token: botToken, chatId }),
  slack: (outbound, { baseUrl, organizationId, botToken, appToken, chatId }) =>
    createSlackChat(outbound, { baseUrl, organizationId, botToken, appToken: appToken ?? "", channelId: chatId }),
};
