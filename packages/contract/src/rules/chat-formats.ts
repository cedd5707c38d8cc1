/** The team chats whose incoming webhooks receive messages, by the format that they expect. */
export const chatFormats = {
  slack: { label: "Slack", example: "https://hooks.slack.com/services/…" },
  teams: { label: "Microsoft Teams (workflow)", example: "https://….logic.azure.com/workflows/…" },
  discord: { label: "Discord", example: "https://discord.com/api/webhooks/…" },
  google_chat: { label: "Google Chat", example: "https://chat.googleapis.com/v1/spaces/…" },
  mattermost: { label: "Mattermost", example: "https://mattermost.example.com/hooks/…" },
  rocket_chat: { label: "Rocket.Chat", example: "https://rocket.example.com/hooks/…" },
  zulip: { label: "Zulip (Slack-compatible)", example: "https://zulip.example.com/api/v1/external/slack_incoming?…" },
} as const;

export type ChatFormat = keyof typeof chatFormats;
export const chatFormatNames = Object.keys(chatFormats) as ChatFormat[];
