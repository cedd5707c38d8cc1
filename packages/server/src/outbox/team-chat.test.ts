import { type ChatFormat, chatFormatNames } from "@foyer/contract/rules/chat-formats";
import { describe, expect, it } from "vitest";
import { formatTeamChatMessage } from "./team-chat.ts";

const format = (webhookUrl: string, chosen: ChatFormat | null, text: string) =>
  JSON.parse(formatTeamChatMessage({ webhookUrl, format: chosen }, "New: {{text}}", () => text));
const ownHost = "https://chat.example.com/hooks/1";

describe("the format of a message to a team chat", () => {
  it.each<[ChatFormat, string, object]>([
    ["slack", "<b> *x* @all", { text: "New: &lt;b&gt; *x* @all" }],
    ["discord", "*x*", { content: "New: \\*x\\*", allowed_mentions: { parse: [] } }],
    ["google_chat", "<users/all>", { text: "New: <\u200busers/all>" }],
    ["mattermost", "@all *x*", { text: "New: @\u200ball \\*x\\*" }],
    ["rocket_chat", "@all *x*", { text: "New: @\u200ball \\*x\\*" }],
    ["zulip", "@**all**", { text: "New: @\u200b\\*\\*all\\*\\*" }],
  ])("is the one of %s when it was chosen, at any address", (chosen, text, body) => {
    expect(format(ownHost, chosen, text)).toEqual(body);
  });
  it("is a card when Teams was chosen, at any address", () => {
    expect(format(ownHost, "teams", "Hi").attachments[0].content.body[0].text).toBe("New: Hi");
  });
  it.each([
    ["https://hooks.slack.com/services/T/B/x", "slack"],
    ["https://prod-1.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke", "teams"],
    ["https://discord.com/api/webhooks/1/x", "discord"],
    ["https://chat.googleapis.com/v1/spaces/x/messages", "google_chat"],
    ["https://acme.zulipchat.com/api/v1/external/slack_incoming?api_key=x", "zulip"],
    [ownHost, "mattermost"],
  ] as const)("is decided by the address %s when none was chosen", (url, expected) => {
    expect(format(url, null, "<a> *b* @c")).toEqual(format(ownHost, expected, "<a> *b* @c"));
  });
  it("can differ from that of the address", () => {
    expect(format("https://hooks.slack.com/services/T/B/x", "discord", "Hi")).toHaveProperty("content");
  });
  it.each([
    ["lines", "Bolt M8\n"],
    ["emoji", "😀"],
    ["quotation marks", '"'],
    ["Chinese", "退货政策"],
  ])("has at most 28 KB for Teams, of %s too, and uses most of them", (_, text) => {
    const body = formatTeamChatMessage({ webhookUrl: ownHost, format: "teams" }, "{{text}}", () => text.repeat(20_000));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28_672);
    expect(Buffer.byteLength(body)).toBeGreaterThan(24_000);
  });
  it.each<[ChatFormat, string, RegExp]>([
    ["slack", "&", /^New: x*(&amp;)+…$/],
    ["slack", "<", /^New: x*(&lt;)+…$/],
    ["discord", "*", /^New: x*(\\\*)+…$/],
    ["discord", "👩‍👩‍👧", /^New: x*(👩‍👩‍👧)+…$/u],
    ["discord", "🇩🇪", /^New: x*(🇩🇪)+…$/u],
  ])("is cut for %s between two characters of %s", (chosen, text, expected) => {
    for (let shift = 0; shift < 12; shift++) {
      const { text: cut, content } = format(ownHost, chosen, `${"x".repeat(shift)}${text.repeat(40_000)}`);
      expect(cut ?? content).toMatch(expected);
    }
  });
  it.each(chatFormatNames)("is cut to the length that %s accepts", (chosen) => {
    expect(JSON.stringify(format(ownHost, chosen, "x".repeat(100_000))).length).toBeLessThan(41_000);
  });
});
