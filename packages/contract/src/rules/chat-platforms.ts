/** A setting of a bot, which members enter and the server checks. */
type BotField = {
  label: string;
  help: string;
  /** a value of the right form, also shown as the placeholder */
  example: string;
  /** a regular expression for the whole value */
  pattern: string;
};

export type BotFieldName = "botToken" | "appToken" | "chatId";

/** A team chat whose bot members use to answer visitors. */
export type ChatPlatform = {
  label: string;
  /** the address of its API, unless the operator sets another one */
  apiUrl: string;
  /** the character that commands to the bot begin with */
  commandPrefix: string;
  /** the settings of the bot, all required, in the order of the form */
  fields: Partial<Record<BotFieldName, BotField>> & Record<"botToken" | "chatId", BotField>;
};

const onlyThisChat = "The bot ignores every other chat.";

/**
 * The team chats with a bot. To add one, add its descriptor here and its client in the server's `inbox/team-chats/`. The
 * compiler then asks for the line in `bot-clients.ts` that creates the client, and for the setting in `config.ts`.
 */
export const chatPlatforms = {
  telegram: {
    label: "Telegram",
    apiUrl: "https://api.telegram.org",
    commandPrefix: "/",
    fields: {
      botToken: {
        label: "Bot token",
        help: "From @BotFather in Telegram.",
        example: "123456:ABC-DEF…",
        pattern: "^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$",
      },
      chatId: { label: "Chat ID", help: onlyThisChat, example: "-1001234567890", pattern: "^-?[0-9]{1,20}$" },
    },
  },
  slack: {
    label: "Slack",
    apiUrl: "https://slack.com/api",
    commandPrefix: "!",
    fields: {
      botToken: {
        label: "Bot token",
        help: "From “Install App” in the settings of your Slack app.",
        example: "xoxb-…",
        pattern: "^xoxb-[A-Za-z0-9-]{10,200}$",
      },
      appToken: {
        label: "App-level token",
        help: "With the scope connections:write.",
        example: "xapp-…",
        pattern: "^xapp-[A-Za-z0-9-]{10,200}$",
      },
      chatId: { label: "Channel ID", help: onlyThisChat, example: "C0123456789", pattern: "^[CG][A-Z0-9]{5,30}$" },
    },
  },
} as const satisfies Record<string, ChatPlatform>;

export type ChatPlatformName = keyof typeof chatPlatforms;
export const chatPlatformNames = Object.keys(chatPlatforms) as ChatPlatformName[];
