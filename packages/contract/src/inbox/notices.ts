import Type, { type Static } from "typebox";
import { chatFormatNames } from "../rules/chat-formats.ts";
import { chatPlatformNames } from "../rules/chat-platforms.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, nullable, ref, refOrNull, Success, stringEnum, Timestamp, withDescription } from "../schema.ts";

/** The maximum number of browsers that can notify a member. A new one replaces the oldest. */
export const maxPushSubscriptions = 10;
export const maxNoticeChannels = 20;

/** A browser that receives a member's notices. */
export const PushDevice = Type.Object({
  id: Type.String(),
  label: Type.String({ description: "A name by which the member recognizes it, such as `Firefox on Linux`" }),
  endpoint: Type.String({ description: "The push service's address, by which a browser finds its own subscription" }),
  createdAt: Timestamp,
});
export type PushDevice = Static<typeof PushDevice>;

/** How a member is notified that a visitor is waiting for a person. */
export const NoticeSettings = Type.Object(
  {
    email: Type.Boolean({ description: "By email. On by default." }),
    push: Type.Boolean({ description: "On the member's devices. On by default." }),
    canEmail: Type.Boolean({ description: "Whether the server can send email" }),
    devices: Type.Array(PushDevice, { description: "Oldest first" }),
  },
  { $id: "NoticeSettings" },
);
export type NoticeSettings = Static<typeof NoticeSettings>;

/** The outcome of a test notice. */
export const NoticeTest = Type.Object(
  {
    isDelivered: Type.Boolean(),
    error: nullable(Type.String({ description: "Why it was not delivered" })),
    detail: nullable(Type.String()),
    status: Type.Optional(nullable(Type.Integer({ description: "The HTTP status of the receiver, if it responded" }))),
    response: Type.Optional(nullable(Type.String({ description: "The beginning of the receiver's response" }))),
  },
  { $id: "NoticeTest" },
);
export type NoticeTest = Static<typeof NoticeTest>;

const tags = ["Notices"];
const session = { access: "session" } as const;

export const getNoticeSettings = {
  method: "GET",
  url: "/notices",
  config: session,
  schema: { tags, summary: "Read how you are notified", response: { 200: ref(NoticeSettings) } },
} as const;

export const putNoticeSettings = {
  method: "PUT",
  url: "/notices",
  config: session,
  schema: {
    tags,
    summary: "Choose how you are notified",
    body: Type.Object({
      email: Type.Optional(Type.Boolean({ description: "Whether you are notified by email" })),
      push: Type.Optional(Type.Boolean({ description: "Whether your devices are notified" })),
    }),
    response: { 200: ref(NoticeSettings) },
  },
} as const;

/** The number of recipients of a request for a person when the agent has no order of members. */
export const NoticeReach = Type.Object(
  {
    email: Type.Integer({ description: "Members who are notified by email. 0 if the server cannot send email." }),
    push: Type.Integer({ description: "Devices of members who are notified by push" }),
    channels: Type.Integer({ description: "Enabled channels in team chats" }),
  },
  { $id: "NoticeReach" },
);
export type NoticeReach = Static<typeof NoticeReach>;

export const getNoticeReach = {
  method: "GET",
  url: "/notices/reach",
  config: { access: "account" },
  schema: {
    tags,
    summary: "Count who is notified when a visitor waits for a person",
    description: "If all numbers are 0, the team only learns of the visitor in an open dashboard.",
    response: { 200: ref(NoticeReach) },
  },
} as const;

export const testEmailNotice = {
  method: "POST",
  url: "/notices/email/test",
  config: session,
  schema: {
    tags,
    summary: "Send a test notification to your own email address",
    response: { 200: ref(NoticeTest) },
  },
} as const;

export const getPushKey = {
  method: "GET",
  url: "/notices/push-key",
  config: session,
  schema: {
    tags,
    summary: "Read the server's key for Web Push",
    description: "The `applicationServerKey` of `PushManager.subscribe`.",
    response: { 200: Type.Object({ publicKey: Type.String({ description: "base64url" }) }) },
  },
} as const;

const base64Url = (length: number, description: string) =>
  Type.String({ minLength: length, maxLength: length, pattern: textPatterns.base64Url, description });

export const createPushSubscription = {
  method: "POST",
  url: "/notices/push-subscriptions",
  config: session,
  schema: {
    tags,
    summary: "Start notifying a browser",
    description: `Takes \`PushSubscription.toJSON()\`. A subscription with the same endpoint is replaced. A member can have ${maxPushSubscriptions} subscriptions; a further one replaces the oldest.`,
    body: Type.Object({
      endpoint: Type.String({ minLength: 1, maxLength: 1_000, description: "The push service's address" }),
      keys: Type.Object(
        {
          p256dh: base64Url(87, "The browser's public key, base64url"),
          auth: base64Url(22, "The secret that the browser shares with the server, base64url"),
        },
        { description: "The keys that messages are encrypted with" },
      ),
      label: Type.Optional(Type.String({ maxLength: 100, description: "A name by which the member recognizes it" })),
    }),
    response: { 201: PushDevice },
  },
} as const;

export const deletePushSubscription = {
  method: "DELETE",
  url: "/notices/push-subscriptions/:id",
  config: session,
  schema: {
    tags,
    summary: "Stop notifying a browser",
    params: idParams("subscription"),
    response: { 200: Success },
  },
} as const;

export const testPushSubscription = {
  method: "POST",
  url: "/notices/push-subscriptions/:id/test",
  config: session,
  schema: {
    tags,
    summary: "Send a test notice to one of your browsers",
    params: idParams("subscription"),
    response: { 200: ref(NoticeTest) },
  },
} as const;

/**
 * Where a team is notified. `webhook`: the incoming webhook of a team chat such as Slack, Teams or Discord. `telegram`
 * and `slack`: a bot in a chat from which members can answer visitors.
 */
export const noticeChannelKinds = ["webhook", ...chatPlatformNames] as const;
export type NoticeChannelKind = (typeof noticeChannelKinds)[number];

const kind = stringEnum(noticeChannelKinds, "The kind of channel. The other settings depend on it.");
const name = Type.String({
  minLength: 1,
  maxLength: 80,
  pattern: textPatterns.notBlank,
  description: "Shown to members",
});
const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "For `webhook`: the incoming webhook's address",
});
const format = nullable(
  stringEnum(
    chatFormatNames,
    "For `webhook`: the team chat whose format the messages have. `null`, the default, decides by the host of the address, and takes `mattermost` for unknown hosts.",
  ),
);
const isEnabled = Type.Boolean({ description: "Whether notices are sent to it. Defaults to `true`." });

const chatId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "For `telegram`: the ID of the group, such as `-1001234567890`. For `slack`: the ID of the channel.",
});
const botToken = Type.String({
  minLength: 1,
  maxLength: 300,
  description: "For `telegram` and `slack`: the bot's token. It is stored encrypted and never returned.",
});
const appToken = Type.String({
  minLength: 1,
  maxLength: 300,
  description: "For `slack`: the app-level token (`xapp-…`). It is stored encrypted and never returned.",
});

/** The bot of a channel, and the members who can answer visitors from its chat. */
export const TeamChatView = Type.Object(
  {
    chatId,
    botName: nullable(Type.String({ description: "Such as `@acme_support_bot`. `null` until the bot was connected." })),
    chatTitle: nullable(Type.String({ description: "Name of the chat. `null` until the bot was connected." })),
    state: stringEnum(["connecting", "connected", "failed"], "Whether the bot receives messages"),
    problem: nullable(Type.String({ description: "Why the bot could not receive messages, now or most recently" })),
    members: Type.Array(
      Type.Object({
        userId: Type.String(),
        name: Type.String(),
        senderName: Type.String({ description: "Their name in the chat" }),
      }),
      { description: "Members whose messages in the chat go to visitors" },
    ),
  },
  { $id: "TeamChatView" },
);
export type TeamChatView = Static<typeof TeamChatView>;

/** A team chat that is notified of every visitor who is waiting for a person. */
export const NoticeChannel = Type.Object(
  {
    id: Type.String(),
    kind,
    name,
    url: nullable(
      withDescription(url, {
        description:
          "For `webhook`: the incoming webhook's address. Members without the admin role get only its origin.",
      }),
    ),
    format,
    teamChat: refOrNull(TeamChatView, { description: "For `telegram` and `slack`" }),
    isEnabled,
    lastError: nullable(Type.String({ description: "Why the last notice failed. `null` if it was delivered." })),
    lastSentAt: nullable(Timestamp),
    createdAt: Timestamp,
  },
  { $id: "NoticeChannel" },
);
export type NoticeChannel = Static<typeof NoticeChannel>;

const channels = { access: "account" } as const;
const channelParams = idParams("channel");

export const listNoticeChannels = {
  method: "GET",
  url: "/notice-channels",
  config: channels,
  schema: { tags, summary: "List notice channels, oldest first", response: { 200: Type.Array(ref(NoticeChannel)) } },
} as const;

export const NoticeChannelCreate = Type.Object({
  kind,
  name,
  url: Type.Optional(url),
  format: Type.Optional(format),
  chatId: Type.Optional(chatId),
  botToken: Type.Optional(botToken),
  appToken: Type.Optional(appToken),
  isEnabled: Type.Optional(isEnabled),
});
export type NoticeChannelCreate = Static<typeof NoticeChannelCreate>;

export const NoticeChannelChanges = Type.Object(
  {
    name: Type.Optional(name),
    url: Type.Optional(url),
    format: Type.Optional(format),
    chatId: Type.Optional(chatId),
    botToken: Type.Optional(botToken),
    appToken: Type.Optional(appToken),
    isEnabled: Type.Optional(isEnabled),
  },
  { description: "Omitted fields keep their values." },
);
export type NoticeChannelChanges = Static<typeof NoticeChannelChanges>;

export const createNoticeChannel = {
  method: "POST",
  url: "/notice-channels",
  config: channels,
  schema: {
    tags,
    summary: "Create a notice channel",
    description: `An organization can have ${maxNoticeChannels}.`,
    body: NoticeChannelCreate,
    response: { 201: ref(NoticeChannel) },
  },
} as const;

export const updateNoticeChannel = {
  method: "PATCH",
  url: "/notice-channels/:id",
  config: channels,
  schema: {
    tags,
    summary: "Update a notice channel",
    params: channelParams,
    body: NoticeChannelChanges,
    response: { 200: ref(NoticeChannel) },
  },
} as const;

export const deleteNoticeChannel = {
  method: "DELETE",
  url: "/notice-channels/:id",
  config: channels,
  schema: { tags, summary: "Delete a notice channel", params: channelParams, response: { 200: Success } },
} as const;

export const testNoticeChannel = {
  method: "POST",
  url: "/notice-channels/:id/test",
  config: channels,
  schema: {
    tags,
    summary: "Send a test notice to a channel",
    params: channelParams,
    response: { 200: ref(NoticeTest) },
  },
} as const;

export const createTeamChatCode = {
  method: "POST",
  url: "/notice-channels/:id/link-code",
  config: session,
  schema: {
    tags,
    summary: "Get a one-time code that links you to your account in a team chat",
    description:
      "For `telegram` and `slack`. Send `command` in the chat. Your messages in conversations there go to the visitor afterwards. A new code replaces your earlier one.",
    params: channelParams,
    response: {
      201: Type.Object({
        code: Type.String(),
        command: Type.String({ description: "What to send in the chat, such as `/link ABCDE23456`" }),
        expiresAt: Timestamp,
      }),
    },
  },
} as const;

export const deleteTeamChatLink = {
  method: "DELETE",
  url: "/notice-channels/:id/link",
  config: session,
  schema: {
    tags,
    summary: "End the link of your account in a team chat",
    params: channelParams,
    response: { 200: Success },
  },
} as const;
