import type { PostAction } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { AppError } from "../../errors.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { checkPostActions } from "./post-action-rules.ts";

function checkUrl(url: string) {
  if (!url.startsWith("https://")) throw new OutboundError("refused", `${url} is refused.`);
}

/** The path of the 400 within the action, or null. */
function readProblem(action: PostAction) {
  try {
    checkPostActions([action], checkUrl);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details?.[0]?.path.replace("formPostActions.0.", "");
  }
}

const url = "https://example.com/hook";

describe("checkPostActions", () => {
  it.each<PostAction>([
    { type: "webhook", url },
    { type: "webhook", webhookUrl: url, payload: { a: "{{name}}", b: [1, { c: null }] } },
    { type: "webhook", url, webhookUrl: null, headers: null, payload: null },
    { type: "webhook", url, webhookUrl: "", headers: { "X-Key": "{{KEY}}" } },
    { type: "team_chat", webhookUrl: url, messageTemplate: "{{name}}" },
    { type: "slack", webhookUrl: url, message: "New", messageTemplate: null },
    { type: "email", recipientIds: ["user_1"] },
    { type: "email", recipientIds: ["user_1", "user_2"], subject: null },
    // Fields of other types are ignored.
    {
      type: "email",
      recipientIds: ["user_1"],
      url: "no url",
      headers: { Host: "x" },
      message: "a",
      messageTemplate: "b",
    },
    { type: "team_chat", webhookUrl: url, message: "a", url: "no url", recipientIds: [] },
  ])("accepts %j", (action) => {
    expect(readProblem(action)).toBeNull();
  });

  it.each<[string, PostAction]>([
    ["url", { type: "webhook" }],
    ["url", { type: "webhook", url: " ", webhookUrl: null }],
    ["webhookUrl", { type: "webhook", url, webhookUrl: url }],
    ["url", { type: "webhook", url: "http://127.0.0.1" }],
    ["webhookUrl", { type: "webhook", webhookUrl: "ftp://x" }],
    ["headers.Host", { type: "webhook", url, headers: { Host: "evil" } }],
    ["headers.X", { type: "webhook", url, headers: { X: "a\r\nb" } }],
    ["payload", { type: "webhook", url, payload: { a: "x".repeat(20_000) } }],
    ["webhookUrl", { type: "team_chat", messageTemplate: "a" }],
    ["webhookUrl", { type: "team_chat", url, messageTemplate: "a" }],
    ["webhookUrl", { type: "slack", webhookUrl: "http://x", message: "a" }],
    ["messageTemplate", { type: "team_chat", webhookUrl: url }],
    ["messageTemplate", { type: "slack", webhookUrl: url, message: "\n" }],
    ["message", { type: "team_chat", webhookUrl: url, message: "a", messageTemplate: "a" }],
    ["recipientIds", { type: "email" }],
    ["recipientIds", { type: "email", recipientIds: null }],
    ["recipientIds", { type: "email", recipientIds: [] }],
    ["recipientIds.1", { type: "email", recipientIds: ["user_1", ""] }],
  ])("refuses at %s: %j", (path, action) => {
    expect(readProblem(action)).toBe(path);
  });

  it("names the action by its position and includes the message of the URL check", () => {
    const actions: PostAction[] = [
      { type: "webhook", url },
      { type: "webhook", url: "http://10.0.0.1" },
    ];
    expect(() => checkPostActions(actions, checkUrl)).toThrow("formPostActions.1.url http://10.0.0.1 is refused.");
    expect(() => checkPostActions([], checkUrl)).not.toThrow();
  });

  it("says how an email action without recipients gets one", () => {
    expect(() => checkPostActions([{ type: "email", recipientIds: [] }], checkUrl)).toThrow(
      "formPostActions.0.recipientIds must name at least one recipient: choose a member, or add another address",
    );
  });

  it("does not report an unexpected error of the URL check as invalid input", () => {
    const broken = () => {
      throw new TypeError("broken");
    };
    expect(() => checkPostActions([{ type: "webhook", url }], broken)).toThrow(TypeError);
  });
});
