import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import type { ChosenModel } from "./chat-model.ts";
import { ModelError } from "./model-error.ts";
import { describeFailure } from "./provider-failure.ts";

const model: ChosenModel = {
  provider: "openai",
  modelId: "test",
  doStream: () => Promise.reject(new Error("not called")),
  source: {
    provider: "openai",
    apiKey: "9f8e7d6c5b4a",
    baseUrl: "https://gateway.corp-models.example:8443/team/blue/v1",
  },
  isOperatorPaid: true,
};
const messageFor = (cause: Error, source: ChosenModel["source"] = model.source) => {
  const error = new ModelError("MODEL_UNAVAILABLE", "The model cannot be reached right now.", { cause });
  return describeFailure(error, { ...model, source }).message;
};

describe("a provider's error message", () => {
  it.each([
    ["the key", "Incorrect API key: 9f8e7d6c5b4a.", "Incorrect API key: ***."],
    ["the key in capitals", "Incorrect API key: 9F8E7D6C5B4A.", "Incorrect API key: ***."],
    ["the configured host", "No route for gateway.corp-models.example:8443.", "No route for (address)."],
    ["the configured host without its port", "ENOTFOUND Gateway.corp-models.example", "ENOTFOUND (address)"],
    ["the configured path", "Unknown path /team/blue/v1/chat", "Unknown path (address)/chat"],
    ["an IPv4 address", "connect ECONNREFUSED 10.0.0.7:8000", "connect ECONNREFUSED (address)"],
    ["an IPv6 address", "connect ECONNREFUSED fd00:12::7", "connect ECONNREFUSED (address)"],
    ["an IPv6 address at the end of a sentence", "refused by fd00:12::7.", "refused by (address)."],
    ["an IPv6 address with a port", "connect to [::1]:8000 failed", "connect to (address) failed"],
    ["an IPv4-mapped address", "refused by ::ffff:10.0.0.7", "refused by (address)"],
  ])("does not show %s", (_what, said, shown) => {
    expect(messageFor(new Error(said))).toBe(shown);
  });

  it.each([
    ["k", "http://localhost:11434/v1"],
    ["test", "http://ollama:11434/v1"],
    ["ollama", "http://model/v1"],
  ])("is not garbled by the key %s of %s", (apiKey, baseUrl) => {
    const said = "The token of the ollama model at localhost took too long to test.";
    expect(messageFor(new Error(said), { provider: "ollama", apiKey, baseUrl })).toBe(said);
  });

  it("does not show a short key that cannot be a word", () => {
    const source = { provider: "openai" as const, apiKey: "sk-1", baseUrl: "https://models.example/v1" };
    expect(messageFor(new Error("Incorrect API key: sk-1, task-1."), source)).toBe("Incorrect API key: ***, task-1.");
  });

  it("is complete up to 2,000 characters", () => {
    const said = `${"The request is not valid. ".repeat(60)}Top up your account.`;
    expect(messageFor(new Error(said))).toBe(said);
  });

  it("has the message of the provider behind a gateway", () => {
    const error = { message: "Provider returned error", metadata: { raw: '{"error":{"message":"No credit left"}}' } };
    const cause = new APICallError({
      message: "Bad request",
      url: "https://gateway.example",
      requestBodyValues: undefined,
      statusCode: 400,
      responseBody: JSON.stringify({ error }),
    });
    expect(messageFor(cause)).toBe("Provider returned error No credit left");
  });

  it("keeps times and field names that look like addresses", () => {
    const said = "messages.0.content is too long; retry after 12:30:45 in std::string";
    expect(messageFor(new Error(said))).toBe(said);
  });

  it("contains no control characters, which PostgreSQL could not store", () => {
    expect(messageFor(new Error("bad\u0000request\u001b[31m\nnow"))).toBe("bad request [31m now");
  });

  it("is taken from the first 4,000 characters, because redacting takes quadratic time", () => {
    expect(messageFor(new Error(`${" ".repeat(3_900)}No quota. ${" ".repeat(100)}No credit.`))).toBe("No quota.");
    expect(messageFor(new Error("a. ".repeat(1_000_000)))).toBe("a. ".repeat(667).slice(0, 2_000));
  });

  it("omits a key that is cut off at the end of what is read", () => {
    const start = `${"https://gateway.example/ ".repeat(159)}${"x".repeat(15)}`;
    expect(messageFor(new Error(`${start} 9f8e7d6c5b4a`))).not.toContain("9f8e");
  });

  it("comes from the body of an HTTP error", () => {
    const responseBody = JSON.stringify({ error: { message: "Bad key" } });
    const cause = new APICallError({
      message: "Unauthorized",
      url: "https://gateway.example",
      requestBodyValues: undefined,
      statusCode: 401,
      responseBody,
    });
    expect(messageFor(cause)).toBe("Bad key");
  });
});
