import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { ConfigError } from "./config-values.ts";

const messageOf = (environment: Record<string, string>) => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
};

describe("configuration", () => {
  it("needs nothing", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 3000,
      baseUrl: "http://localhost:3000",
      isLoopbackOnly: true,
      database: { kind: "sqlite", file: expect.stringMatching(/\/data\/foyer\.sqlite$/) },
      admin: null,
      limits: { chatPerSession: 30, chatPerIp: 600, runningPerIp: 50, running: 5_000 },
      heartbeat: 15_000,
      resumeWindow: 30_000,
      drainTimeout: 30_000,
    });
  });

  it("reads durations, lists and limits", () => {
    const config = readConfig({
      FOYER_DRAIN_TIMEOUT: "500ms",
      FOYER_MODEL_IDLE_TIMEOUT: "2m",
      FOYER_MODEL_TOTAL_TIMEOUT: "2h",
      FOYER_STREAM_HEARTBEAT: "1.5s",
      FOYER_TRUST_PROXY: "10.0.0.0/8, 127.0.0.1",
      FOYER_OUTBOUND_ALLOW: "10.1.0.0/16,internal.example",
      FOYER_LIMIT_RUNNING: "0",
    });
    expect(config.drainTimeout).toBe(500);
    expect(config.heartbeat).toBe(1_500);
    expect(config.models).toMatchObject({ idleTimeout: 120_000, totalTimeout: 7_200_000 });
    expect(config.trustProxy).toEqual(["10.0.0.0/8", "127.0.0.1"]);
    expect(config.outboundAllow).toEqual(["10.1.0.0/16", "internal.example"]);
    expect(config.limits.running).toBe(0);
  });

  it.each([
    [{ PORT: "abc" }, 'PORT: expected a whole number from 0 to 65535, found "abc".'],
    [{ PORT: "70000" }, "PORT: expected a whole number from 0 to 65535"],
    [{ BASE_URL: "chat.example.com" }, "BASE_URL: expected an address such as https://chat.example.com"],
    [{ BASE_URL: "ftp://chat.example.com" }, "BASE_URL: expected"],
    [{ DATABASE_URL: "mysql://root:hunter2@db/x", FOYER_SECRET: "s".repeat(32) }, "DATABASE_URL: expected postgres://"],
    [{ DATABASE_URL: "postgres://db/x" }, "FOYER_SECRET: expected at least 32 characters when DATABASE_URL is set"],
    [{ FOYER_SECRET: "short" }, "FOYER_SECRET: expected at least 32 characters, found 5 characters."],
    [
      { FOYER_ADMIN_EMAIL: "ada", FOYER_ADMIN_PASSWORD: "long enough it is" },
      "FOYER_ADMIN_EMAIL: expected an e-mail address",
    ],
    [{ FOYER_ADMIN_EMAIL: "ada@example.com" }, "FOYER_ADMIN_PASSWORD: expected at least 12 characters when"],
    [{ FOYER_ADMIN_API_KEY: "k".repeat(24) }, "FOYER_ADMIN_EMAIL: expected the owner's address"],
    [{ FOYER_ADMIN_API_KEY: "k".repeat(23) }, "FOYER_ADMIN_API_KEY: expected at least 24 characters"],
    [{ FOYER_DRAIN_TIMEOUT: "30" }, "FOYER_DRAIN_TIMEOUT: expected a duration such as 500ms, 30s, 5m or 2h"],
    [{ FOYER_TRUST_PROXY: "true" }, "FOYER_TRUST_PROXY: expected addresses or ranges"],
    [{ FOYER_TRUST_PROXY: "10.0.0.0/33" }, "FOYER_TRUST_PROXY: expected addresses or ranges"],
    [{ FOYER_LIMIT_CHAT_PER_IP: "-1" }, "FOYER_LIMIT_CHAT_PER_IP: expected a whole number"],
    [{ FOYER_DEFAULT_PLAN: "gold" }, "FOYER_DEFAULT_PLAN: expected one of free, starter, growth, pro"],
    [{ OPENAI_COMPATIBLE_BASE_URL: "localhost:11434" }, "OPENAI_COMPATIBLE_BASE_URL: expected an address"],
    [{ FOYER_METRICS_TOKEN: "short" }, "FOYER_METRICS_TOKEN: expected at least 16 characters"],
    [
      { FOYER_METRICS_TOKEN: "two words of a token" },
      "FOYER_METRICS_TOKEN: expected at least 16 characters, no spaces",
    ],
  ] as Array<[Record<string, string>, string]>)("refuses %j", (environment, message) => {
    expect(messageOf(environment)).toContain(message);
  });

  it("tells everything that is wrong at once, and no secret", () => {
    const message = messageOf({ PORT: "x", FOYER_SECRET: "hunter2", DATABASE_URL: "mysql://root:hunter2@db/x" });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).not.toContain("hunter2");
  });

  it.each([
    ["127.0.0.1", "http://localhost:3000", true],
    ["::1", "http://[::1]:3000", true],
    ["0.0.0.0", "http://localhost:3000", false],
    ["127.0.0.1", "https://chat.example.com", false],
    ["127.0.0.1", "http://127.0.0.1.example.com", false],
  ])("knows whether %s with %s is for this machine only: %s", (HOST, BASE_URL, expected) => {
    expect(readConfig({ HOST, BASE_URL }).isLoopbackOnly).toBe(expected);
  });

  it("finds the providers that can be used, in order", () => {
    const { providers } = readConfig({
      OPENAI_BASE_URL: "http://proxy.example/v1",
      MISTRAL_API_KEY: "m",
      OLLAMA_BASE_URL: "http://localhost:11434/",
      OPENAI_COMPATIBLE_API_KEY: "c",
    }).models;
    expect([...providers]).toEqual([
      ["mistral", { apiKey: "m", baseUrl: null }],
      ["ollama", { apiKey: null, baseUrl: "http://localhost:11434" }],
    ]);
  });
});

describe(".env.example", () => {
  const source = ["config.ts", "models/provider-environment.ts"]
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("");
  const example = readFileSync(join(import.meta.dirname, "../../../.env.example"), "utf8");
  const lines = [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );

  it("lists every variable and no other", () => {
    const read = [...source.matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(([, name]) => name);
    const limits = [...source.matchAll(/limit\("([A-Z_]+)"/g)].map(([, name]) => `FOYER_LIMIT_${name}`);
    const shortNames = limits.map((name) => name.replace("FOYER_LIMIT_", ""));
    const names = new Set([...read.filter((name) => name && !shortNames.includes(name)), ...limits]);
    expect(lines.map(([name]) => name).sort()).toEqual([...names].sort());
  });

  it("shows the defaults", () => {
    const shown = Object.fromEntries(
      lines.filter(([name]) => name.startsWith("FOYER_LIMIT_") || /_(TIMEOUT|WINDOW|HEARTBEAT)$/.test(name)),
    );
    const plain = (config: ReturnType<typeof readConfig>) => ({
      ...config,
      models: { ...config.models, providers: [] },
    });
    expect(plain(readConfig(shown))).toEqual(plain(readConfig({})));
    expect(Object.keys(shown)).toHaveLength(9);
  });
});
