import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { ConfigError } from "./config-values.ts";

const readErrorMessage = (environment: Record<string, string>) => {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "";
};

describe("configuration", () => {
  it("requires no variables", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 3000,
      baseUrl: "http://localhost:3000",
      isLoopbackOnly: true,
      database: { kind: "sqlite", file: expect.stringMatching(/\/data\/foyer\.sqlite$/) },
      admin: null,
      webhooks: { schedule: [0, 60_000, 300_000, 1_800_000, 7_200_000], timeout: 30_000, submitWait: 8_000 },
      mail: { smtp: null, from: { name: "Foyer", address: "no-reply@localhost" } },
      limits: {
        chatPerSession: 30,
        chatPerIp: 600,
        runningPerIp: 50,
        running: 5_000,
        streamsPerIp: 200,
        streams: 10_000,
        submitPerIp: 120,
        eventsPerSession: 100,
        eventsPerIp: 1_000,
        signInPerAddress: 10,
        signInPerIp: 60,
        visitorTokensPerDay: 500_000,
        apiCalls: { free: 20, starter: 60, growth: 200, pro: 1_000 },
      },
      heartbeat: 15_000,
      livePoll: 500,
      resumeWindow: 30_000,
      drainTimeout: 30_000,
    });
  });

  it("reports unknown names with the nearest known ones, so that a misspelt setting is noticed", () => {
    const environment = { FOYER_LIMIT_CHAT: "3", FOYER_DATADIR: "/data", FOYER_NOTHING: "", FOYER_LOG_LEVEL: "warn" };
    expect(readConfig(environment).unknownSettings).toEqual([
      {
        name: "FOYER_LIMIT_CHAT",
        suggestions: [
          "FOYER_LIMIT_CHAT_PER_SESSION",
          "FOYER_LIMIT_CHAT_PER_IP",
          "FOYER_LIMIT_CHAT_BYTES_PER_DAY",
          "FOYER_LIMIT_CHAT_BYTES_PER_IP",
        ],
      },
      { name: "FOYER_DATADIR", suggestions: ["FOYER_DATA_DIR"] },
    ]);
  });

  it("knows the settings of the commands for agents as files", () => {
    const environment = { FOYER_URL: "https://chat.example.com", FOYER_KEY: "fyr_x" };
    expect(readConfig(environment).unknownSettings).toEqual([]);
  });

  it("parses durations, lists and limits", () => {
    const config = readConfig({
      FOYER_DRAIN_TIMEOUT: "500ms",
      FOYER_MODEL_IDLE_TIMEOUT: "2m",
      FOYER_MODEL_TOTAL_TIMEOUT: "2h",
      FOYER_STREAM_HEARTBEAT: "1.5s",
      FOYER_TRUST_PROXY: "10.0.0.0/8, 127.0.0.1",
      FOYER_OUTBOUND_ALLOW: "10.1.0.0/16,internal.example",
      FOYER_LIMIT_RUNNING: "0",
      FOYER_LIMIT_SUBMIT_PER_IP: "7",
      FOYER_WEBHOOK_SCHEDULE: "500ms, 1.5s ,2h",
      FOYER_WEBHOOK_TIMEOUT: "5s",
      FOYER_SUBMIT_WAIT: "0s",
    });
    expect(config.drainTimeout).toBe(500);
    expect(config.heartbeat).toBe(1_500);
    expect(config.models).toMatchObject({ idleTimeout: 120_000, totalTimeout: 7_200_000 });
    expect(config.trustProxy).toEqual(["10.0.0.0/8", "127.0.0.1"]);
    expect(config.outboundAllow).toEqual(["10.1.0.0/16", "internal.example"]);
    expect(config.limits.running).toBe(0);
    expect(config.limits.submitPerIp).toBe(7);
    expect(config.webhooks).toEqual({ schedule: [500, 1_500, 7_200_000], timeout: 5_000, submitWait: 0 });
  });

  it.each([
    [{ PORT: "abc" }, 'PORT: expected a whole number from 0 to 65535, found "abc".'],
    [{ FOYER_WEBHOOK_SCHEDULE: "0s,soon" }, "FOYER_WEBHOOK_SCHEDULE: expected"],
    [{ FOYER_WEBHOOK_SCHEDULE: "," }, "FOYER_WEBHOOK_SCHEDULE: expected"],
    [{ FOYER_WEBHOOK_TIMEOUT: "30" }, "FOYER_WEBHOOK_TIMEOUT: expected a duration"],
    [{ FOYER_SUBMIT_WAIT: "-1s" }, "FOYER_SUBMIT_WAIT: expected a duration"],
    [{ FOYER_LIMIT_SUBMIT_PER_IP: "many" }, "FOYER_LIMIT_SUBMIT_PER_IP: expected a whole number"],
    [{ PORT: "70000" }, "PORT: expected a whole number from 0 to 65535"],
    [{ BASE_URL: "chat.example.com" }, "BASE_URL: expected an address such as https://chat.example.com"],
    [{ BASE_URL: "ftp://chat.example.com" }, "BASE_URL: expected"],
    [{ DATABASE_URL: "mysql://root:hunter2@db/x", FOYER_SECRET: "s".repeat(32) }, "DATABASE_URL: expected postgres://"],
    [{ DATABASE_URL: "postgres://db/x" }, "FOYER_SECRET: expected at least 32 characters when DATABASE_URL is set"],
    [{ FOYER_SECRET: "short" }, "FOYER_SECRET: expected at least 32 characters, found 5 characters."],
    [
      { FOYER_ADMIN_EMAIL: "ada", FOYER_ADMIN_PASSWORD: "long enough it is" },
      "FOYER_ADMIN_EMAIL: expected an address such as you@example.com",
    ],
    [{ FOYER_ADMIN_EMAIL: "ada@example.com" }, "FOYER_ADMIN_PASSWORD: expected at least 12 characters when"],
    [{ FOYER_ADMIN_API_KEY: "k".repeat(24) }, "FOYER_ADMIN_EMAIL: expected the owner's address"],
    [{ FOYER_ADMIN_API_KEY: "k".repeat(23) }, "FOYER_ADMIN_API_KEY: expected at least 24 characters"],
    [{ FOYER_DRAIN_TIMEOUT: "30" }, "FOYER_DRAIN_TIMEOUT: expected a duration such as 500ms, 30s, 5m or 2h"],
    [{ FOYER_TRUST_PROXY: "true" }, "FOYER_TRUST_PROXY: expected addresses or ranges"],
    [{ FOYER_COUNTRY_HEADER: "CF-IPCountry" }, "FOYER_TRUST_PROXY: expected the proxy's address"],
    [{ FOYER_TRUST_PROXY: "10.0.0.0/33" }, "FOYER_TRUST_PROXY: expected addresses or ranges"],
    [{ FOYER_LIMIT_CHAT_PER_IP: "-1" }, "FOYER_LIMIT_CHAT_PER_IP: expected a whole number"],
    [{ FOYER_DEFAULT_PLAN: "gold" }, "FOYER_DEFAULT_PLAN: expected one of free, starter, growth, pro"],
    [{ FOYER_OPEN_SIGNUP: "yes" }, 'FOYER_OPEN_SIGNUP: expected one of true, false, found "yes".'],
    [{ GOOGLE_CLIENT_ID: "id" }, "GOOGLE_CLIENT_SECRET: expected a value when GOOGLE_CLIENT_ID is set, found nothing."],
    [{ GITHUB_CLIENT_SECRET: "word" }, "GITHUB_CLIENT_ID: expected a value when GITHUB_CLIENT_SECRET is set"],
    [{ OIDC_ISSUER: "https://login.example.com" }, "OIDC_CLIENT_ID: expected a value when OIDC_ISSUER is set"],
    [{ OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "word" }, "OIDC_ISSUER: expected the issuer's address when"],
    [{ OIDC_ISSUER: "login.example.com" }, "OIDC_ISSUER: expected an address such as"],
    [{ OPENAI_COMPATIBLE_BASE_URL: "localhost:11434" }, "OPENAI_COMPATIBLE_BASE_URL: expected an address"],
    [{ SMTP_URL: "mail.example.com:587" }, "SMTP_URL: expected smtp://user:password@mail.example.com:587, or smtps://"],
    [{ SMTP_URL: "http://mail.example.com" }, "SMTP_URL: expected smtp://user:password@mail.example.com:587"],
    [{ SMTP_URL: "smtp://mail.example.com/?pool=false" }, "SMTP_URL: expected smtp://user:password"],
    [{ SMTP_URL: "smtp://ada@mail.example.com" }, "SMTP_URL: expected a user name and a password, or neither"],
    [{ SMTP_URL: "smtp://ada:50%@mail.example.com" }, "% is written as %25, found 31 characters."],
    [
      { FOYER_MAIL_FROM: "Foyer" },
      'FOYER_MAIL_FROM: expected an address such as Foyer <no-reply@example.com>, found "Foyer"',
    ],
    [{ FOYER_MAIL_FROM: "a@example.com, b@example.com" }, "FOYER_MAIL_FROM: expected an address"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT: expected an address"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      'OTEL_EXPORTER_OTLP_PROTOCOL: expected one of http/protobuf, http/json, found "grpc".',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_TRACES_SAMPLER: "xray" },
      "OTEL_TRACES_SAMPLER: expected one of always_on,",
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
        OTEL_TRACES_SAMPLER: "traceidratio",
        OTEL_TRACES_SAMPLER_ARG: "2",
      },
      "OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1",
    ],
    [{ FOYER_METRICS_TOKEN: "short" }, "FOYER_METRICS_TOKEN: expected at least 16 characters"],
    [
      { FOYER_METRICS_TOKEN: "two words of a token" },
      "FOYER_METRICS_TOKEN: expected at least 16 characters, no spaces",
    ],
  ] as Array<[Record<string, string>, string]>)("refuses %j", (environment, message) => {
    expect(readErrorMessage(environment)).toContain(message);
  });

  it("parses sign-up settings and sign-in providers", () => {
    expect(readConfig({})).toMatchObject({ openSignUp: false, signIn: { google: null, github: null, oidc: null } });
    const environment = {
      FOYER_OPEN_SIGNUP: "true",
      GITHUB_CLIENT_ID: "g",
      GITHUB_CLIENT_SECRET: "h",
      OIDC_ISSUER: "https://login.example.com",
      OIDC_CLIENT_ID: "o",
      OIDC_CLIENT_SECRET: "p",
    };
    expect(readConfig(environment)).toMatchObject({
      openSignUp: true,
      signIn: {
        google: null,
        github: { clientId: "g", clientSecret: "h" },
        oidc: { issuer: "https://login.example.com", clientId: "o", clientSecret: "p" },
      },
    });
  });

  it("reports all errors at once, without revealing secrets", () => {
    const message = readErrorMessage({ PORT: "x", FOYER_SECRET: "hunter2", DATABASE_URL: "mysql://root:hunter2@db/x" });
    expect(message.split("\n")).toHaveLength(4);
    expect(message).not.toContain("hunter2");
  });

  it.each([
    ["127.0.0.1", "http://localhost:3000", true],
    ["::1", "http://[::1]:3000", true],
    ["0.0.0.0", "http://localhost:3000", false],
    ["127.0.0.1", "https://chat.example.com", false],
    ["127.0.0.1", "http://127.0.0.1.example.com", false],
  ])("determines whether %s with %s is reachable only from this machine: %s", (HOST, BASE_URL, expected) => {
    expect(readConfig({ HOST, BASE_URL }).isLoopbackOnly).toBe(expected);
  });

  it.each([
    ["smtp://mail.example.com", { host: "mail.example.com", port: null, secure: false, auth: null }],
    ["smtp://[::1]:2525/", { host: "::1", port: 2525, secure: false, auth: null }],
    [
      "smtps://ada%40example.com:p%3Aw%2Fd@mail.example.com:465",
      { host: "mail.example.com", port: 465, secure: true, auth: { user: "ada@example.com", pass: "p:w/d" } },
    ],
  ])("parses the mail server %s", (SMTP_URL, smtp) => {
    expect(readConfig({ SMTP_URL }).mail.smtp).toEqual(smtp);
  });

  it.each([
    [{ BASE_URL: "https://chat.example.com:8443/foyer" }, "Foyer", "no-reply@chat.example.com"],
    [{ BASE_URL: "http://192.0.2.7:3000" }, "Foyer", "no-reply@[192.0.2.7]"],
    [{ BASE_URL: "http://[2001:db8::7]:3000" }, "Foyer", "no-reply@[IPv6:2001:db8::7]"],
    [{ FOYER_MAIL_FROM: "hello@example.com" }, "", "hello@example.com"],
    [{ FOYER_MAIL_FROM: '"Harbour, Bikes" <hello@example.com>' }, "Harbour, Bikes", "hello@example.com"],
  ])("parses the sender %j", (environment, name, address) => {
    expect(readConfig(environment as Record<string, string>).mail.from).toEqual({ name, address });
  });

  it("lists the configured providers in order", () => {
    const { providers } = readConfig({
      OPENAI_BASE_URL: "http://proxy.example/v1",
      MISTRAL_API_KEY: "m",
      OLLAMA_BASE_URL: "http://localhost:11434/",
      OPENAI_COMPATIBLE_API_KEY: "c",
    }).models;
    expect([...providers]).toEqual([
      ["mistral", { kind: "mistral", apiKey: "m", baseUrl: null, server: {} }],
      ["ollama", { kind: "ollama", apiKey: null, baseUrl: "http://localhost:11434", server: {} }],
    ]);
  });
});

describe(".env.example", () => {
  const source = ["config.ts", "models/provider-environment.ts", "telemetry/telemetry-environment.ts"]
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("");
  const example = readFileSync(join(import.meta.dirname, "../../../.env.example"), "utf8");
  const lines = [...example.matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(
    ([, name = "", value = ""]) => [name, value] as const,
  );

  it("lists every variable and no others", () => {
    const read = [...source.matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(([, name]) => name);
    const limits = [...source.matchAll(/limit\("([A-Z_]+)"/g)].map(([, name]) => `FOYER_LIMIT_${name}`);
    const shortNames = limits.map((name) => name.replace("FOYER_LIMIT_", ""));
    const names = new Set([...read.filter((name) => name && !shortNames.includes(name)), ...limits]);
    expect(lines.map(([name]) => name).sort()).toEqual([...names].sort());
  });

  it("shows the defaults", () => {
    const shown = Object.fromEntries(
      lines.filter(([name]) => /^FOYER_(LIMIT|PLAN_TOKENS)_/.test(name) || /_(TIMEOUT|WINDOW|HEARTBEAT)$/.test(name)),
    );
    const plain = (config: ReturnType<typeof readConfig>) => ({
      ...config,
      models: { ...config.models, providers: [] },
    });
    expect(plain(readConfig(shown))).toEqual(plain(readConfig({})));
    expect(Object.keys(shown)).toHaveLength(45);
  });
});
