import { join, resolve } from "node:path";
import { type ChatPlatformName, chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import {
  int,
  list,
  oneOf,
  Problems,
  parseBaseUrl,
  parseCidrs,
  parseDuration,
  parseDurations,
  parseEmail,
  parseHost,
  parseUrl,
  read,
  readCertificates,
  text,
} from "./config-values.ts";
import type { DatabaseAddress } from "./db/database-kind.ts";
import { parseServerUrls } from "./db/postgres-servers.ts";
import { isLoopback } from "./loopback.ts";
import { readProviders } from "./models/provider-environment.ts";
import { parseMailbox, parseSmtpUrl, type SmtpAddress, type TlsMode, tlsModes } from "./outbound/smtp-address.ts";
import { readTelemetry } from "./telemetry/telemetry-environment.ts";
import { findUnknownSettings } from "./unknown-settings.ts";

/** The plans, from the smallest to the largest. */
export const planIds = ["free", "starter", "growth", "pro"] as const;

export type Config = ReturnType<typeof readConfig>;

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment. Durations are returned in milliseconds, and limits as calls per minute (0 = off).
 * @throws ConfigError with one line per invalid variable: its name, the expected value and the actual value
 */
export function readConfig(environment: Environment) {
  const problems = new Problems();
  const knownNames = new Set<string>();
  const get = <T>(name: string, parse: (value: string) => T, fallback: T) => {
    knownNames.add(name);
    return read(environment, problems, { name, parse, fallback });
  };

  const host = get("HOST", parseHost, "127.0.0.1");
  const port = get("PORT", int(0, 65_535), 3_000);
  const baseUrl = get("BASE_URL", parseBaseUrl, `http://localhost:${port}`);
  const dataDir = resolve(get("FOYER_DATA_DIR", text, "./data"));
  const databaseUrl = get<string | null>("DATABASE_URL", parsePostgresUrl, null);
  const secret = get<string | null>("FOYER_SECRET", textOfMinimumLength(32), null);
  if (databaseUrl && !secret) {
    problems.add(
      "FOYER_SECRET",
      "at least 32 characters when DATABASE_URL is set (every process needs the same)",
      undefined,
    );
  }
  const database: DatabaseAddress = databaseUrl
    ? { kind: "postgres", url: databaseUrl }
    : { kind: "sqlite", file: join(dataDir, "foyer.sqlite") };
  const config = {
    host,
    port,
    baseUrl,
    /** the path of BASE_URL without a slash at the end: empty, or such as `/support` */
    basePath: new URL(baseUrl).pathname.replace(/\/$/, ""),
    /** true when only this machine can reach the server, so requests may make it call local addresses */
    isLoopbackOnly: isLoopback(host) && isLoopback(new URL(baseUrl).hostname),
    dataDir,
    database,
    secret,
    logLevel: get("FOYER_LOG_LEVEL", oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"]), "info"),
    logFormat: get("FOYER_LOG_FORMAT", oneOf(["auto", "text", "json"]), "auto"),
    trustProxy: get<string[]>("FOYER_TRUST_PROXY", parseCidrs, []),
    countryHeader: parseCountryHeader(get, problems),
    /** null: no traces are exported */
    telemetry: readTelemetry(environment, problems),
    metricsToken: get<string | null>("FOYER_METRICS_TOKEN", parseToken, null),
    outboundAllow: get<string[]>("FOYER_OUTBOUND_ALLOW", list, []),
    admin: readAdmin(get, problems),
    defaultPlan: get("FOYER_DEFAULT_PLAN", oneOf(planIds), "free"),
    openSignUp: get("FOYER_OPEN_SIGNUP", oneOf(["true", "false"]), "false") === "true",
    signIn: readSignIn(get, problems),
    submissionRetentionDays: get<number | null>("FOYER_SUBMISSION_RETENTION_DAYS", int(1, 36_500), null),
    retentionDays: get<number | null>("FOYER_RETENTION_DAYS", int(1, 36_500), null),
    /** how long what is in the trash can be restored; 0 = there is no trash */
    trashDays: get("FOYER_TRASH_DAYS", int(0, 3_650), 30),
    models: {
      defaultModel: get<string | null>("FOYER_DEFAULT_MODEL", text, null),
      providers: readProviders(environment, problems),
      idleTimeout: get("FOYER_MODEL_IDLE_TIMEOUT", parseDuration, 60_000),
      totalTimeout: get("FOYER_MODEL_TOTAL_TIMEOUT", parseDuration, 600_000),
      /** how long a provider that keeps failing is not asked, and within what time its failures count; 0 = never */
      circuit: get("FOYER_MODEL_CIRCUIT", parseDuration, 60_000),
    },
    webhooks: {
      /** the delay before each attempt */
      schedule: get<number[]>("FOYER_WEBHOOK_SCHEDULE", parseDurations, [0, 60_000, 300_000, 1_800_000, 7_200_000]),
      timeout: get("FOYER_WEBHOOK_TIMEOUT", parseDuration, 30_000),
      /** how long a visitor's request waits for the first attempts */
      submitWait: get("FOYER_SUBMIT_WAIT", parseDuration, 8_000),
    },
    limits: readLimits(get),
    mail: {
      smtp: get<SmtpAddress | null>("SMTP_URL", parseSmtpUrl, null),
      tls: get<TlsMode>("FOYER_SMTP_TLS", oneOf(tlsModes), "auto"),
      ca: get<string | null>("FOYER_SMTP_CA", readCertificates, null),
      from: get("FOYER_MAIL_FROM", parseMailbox, { name: "Foyer", address: createNoReplyAddress(baseUrl) }),
    },
    /** the addresses of the APIs of team chats */
    teamChats: {
      telegram: get("FOYER_TELEGRAM_URL", parseUrl, chatPlatforms.telegram.apiUrl).replace(/\/+$/, ""),
      slack: get("FOYER_SLACK_URL", parseUrl, chatPlatforms.slack.apiUrl).replace(/\/+$/, ""),
    } satisfies Record<ChatPlatformName, string>,
    heartbeat: get("FOYER_STREAM_HEARTBEAT", parseDuration, 15_000),
    /** how often changes of other processes are read while a live stream is open */
    livePoll: get("FOYER_LIVE_POLL", parseDuration, 500),
    /** how long an upload for the chat is kept that no message has */
    attachmentWindow: get("FOYER_ATTACHMENT_WINDOW", parseDuration, 3_600_000),
    resumeWindow: get("FOYER_RESUME_WINDOW", parseDuration, 30_000),
    drainTimeout: get("FOYER_DRAIN_TIMEOUT", parseDuration, 30_000),
    /** requests are rejected with 503 while the mean event loop delay is above this; 0 = never */
    maxLag: get("FOYER_MAX_LAG", parseDuration, 2_000),
  };
  problems.throwIfAny();
  return { ...config, unknownSettings: findUnknownSettings(environment, knownNames) };
}

/** The header in which the operator's proxy sends the visitor's country, in lower case like Node's header names. */
function parseCountryHeader(get: Get, problems: Problems) {
  const name = get<string | null>("FOYER_COUNTRY_HEADER", parseHeaderName, null);
  const isBehindProxy = get<string[]>("FOYER_TRUST_PROXY", parseCidrs, []).length > 0;
  if (name && !isBehindProxy) {
    problems.add("FOYER_TRUST_PROXY", "the proxy's address when FOYER_COUNTRY_HEADER is set", undefined);
  }
  return name;
}

function parseHeaderName(value: string) {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(value)) throw new Error("a header's name, such as CF-IPCountry");
  return value.toLowerCase();
}

type Get = <T>(name: string, parse: (value: string) => T, fallback: T) => T;

/** The owner that an unattended start creates or updates. Requires all of its variables or none. */
function readAdmin(get: Get, problems: Problems) {
  const address = get<string | null>("FOYER_ADMIN_EMAIL", parseEmail, null);
  const password = get<string | null>("FOYER_ADMIN_PASSWORD", textOfMinimumLength(12), null);
  const apiKey = get<string | null>("FOYER_ADMIN_API_KEY", textOfMinimumLength(24), null);
  if (address && password) return { email: address, password, apiKey };
  if (address) problems.add("FOYER_ADMIN_PASSWORD", "at least 12 characters when FOYER_ADMIN_EMAIL is set", undefined);
  else if (password || apiKey) {
    problems.add("FOYER_ADMIN_EMAIL", "the owner's address when FOYER_ADMIN_PASSWORD or _API_KEY is set", undefined);
  }
  return null;
}

/** The sign-in providers. Each requires all of its variables or none. */
function readSignIn(get: Get, problems: Problems) {
  const parseClient = (idName: string, secretName: string) => {
    const clientId = get<string | null>(idName, text, null);
    const clientSecret = get<string | null>(secretName, text, null);
    if (clientId && clientSecret) return { clientId, clientSecret };
    if (clientId) problems.add(secretName, `a value when ${idName} is set`, undefined);
    else if (clientSecret) problems.add(idName, `a value when ${secretName} is set`, undefined);
    return null;
  };
  const issuer = get<string | null>("OIDC_ISSUER", parseUrl, null);
  const oidc = parseClient("OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET");
  const trustEmail = get("OIDC_TRUST_EMAIL", oneOf(["true", "false"]), "false") === "true";
  const emailClaim = get("OIDC_EMAIL_CLAIM", text, "email");
  if (issuer && !oidc) problems.add("OIDC_CLIENT_ID", "a value when OIDC_ISSUER is set", undefined);
  if (oidc && !issuer) problems.add("OIDC_ISSUER", "the issuer's address when OIDC_CLIENT_ID is set", undefined);
  return {
    google: parseClient("GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"),
    github: parseClient("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"),
    oidc: oidc && issuer ? { ...oidc, issuer, trustEmail, emailClaim } : null,
  };
}

function readLimits(get: Get) {
  const parseTokens = (name: string, fallback: number) => get(name, int(0, Number.MAX_SAFE_INTEGER), fallback);
  const limit = (name: string, fallback: number) => get(`FOYER_LIMIT_${name}`, int(0, 1_000_000_000), fallback);
  return {
    chatPerSession: limit("CHAT_PER_SESSION", 30),
    chatPerIp: limit("CHAT_PER_IP", 600),
    /** text of visitors in bytes, per agent, and per IP address in this process */
    chatBytesPerDay: limit("CHAT_BYTES_PER_DAY", 500_000_000),
    chatBytesPerIp: limit("CHAT_BYTES_PER_IP", 20_000_000),
    /** events that are stored for an organization */
    storedEvents: limit("STORED_EVENTS", 1_000_000),
    /** bytes of responses that are stored for an organization's Idempotency-Keys in a day */
    responseBytesPerDay: limit("RESPONSE_BYTES_PER_DAY", 200_000_000),
    /** uploads of pictures and files per visitor and address, and their bytes per organization and visitor's address */
    attachmentsPerVisitor: limit("ATTACHMENTS_PER_VISITOR", 20),
    attachmentsPerIp: limit("ATTACHMENTS_PER_IP", 200),
    attachmentBytesPerDay: limit("ATTACHMENT_BYTES_PER_DAY", 1_000_000_000),
    attachmentBytesPerIp: limit("ATTACHMENT_BYTES_PER_IP", 100_000_000),
    /** bytes of pictures and files that are sent to models at the same time in this process, and per address and minute */
    modelFileBytes: limit("MODEL_FILE_BYTES", 67_108_864),
    modelFileBytesPerIp: limit("MODEL_FILE_BYTES_PER_IP", 300_000_000),
    handoffPerIp: limit("HANDOFF_PER_IP", 5),
    /** requests of the page that an emailed link opens to rate a conversation */
    ratingPerIp: limit("RATING_PER_IP", 30),
    /** requests to one agent that are announced one by one within ten minutes; further ones are announced together */
    handoffAnnouncements: limit("HANDOFF_ANNOUNCEMENTS", 10),
    runningPerIp: limit("RUNNING_PER_IP", 50),
    running: limit("RUNNING", 5_000),
    /** open live streams per IP address, and in this process */
    streamsPerIp: limit("STREAMS_PER_IP", 200),
    streams: limit("STREAMS", 10_000),
    submitPerIp: limit("SUBMIT_PER_IP", 120),
    /** per agent, in bytes */
    submissionBytesPerDay: limit("SUBMISSION_BYTES_PER_DAY", 500_000_000),
    confirmationsPerAddress: limit("CONFIRMATIONS_PER_ADDRESS", 5),
    confirmationsPerForm: limit("CONFIRMATIONS_PER_FORM", 500),
    eventsPerSession: limit("EVENTS_PER_SESSION", 100),
    eventsPerIp: limit("EVENTS_PER_IP", 1_000),
    sessionPerUser: limit("SESSION_PER_USER", 1_200),
    signInPerAddress: limit("SIGN_IN_PER_ADDRESS", 10),
    signInPerIp: limit("SIGN_IN_PER_IP", 60),
    visitorTokensPerDay: limit("VISITOR_TOKENS_PER_DAY", 500_000),
    addressTokensPerDay: limit("ADDRESS_TOKENS_PER_DAY", 5_000_000),
    /** calls with API keys, by the organization's plan */
    apiCalls: {
      free: limit("API_FREE", 20),
      starter: limit("API_STARTER", 60),
      growth: limit("API_GROWTH", 200),
      pro: limit("API_PRO", 1_000),
    },
    /** tokens per calendar month that an organization may use with the operator's provider keys, by plan */
    planTokens: {
      free: parseTokens("FOYER_PLAN_TOKENS_FREE", 1_000_000),
      starter: parseTokens("FOYER_PLAN_TOKENS_STARTER", 10_000_000),
      growth: parseTokens("FOYER_PLAN_TOKENS_GROWTH", 50_000_000),
      pro: parseTokens("FOYER_PLAN_TOKENS_PRO", 0),
    },
  };
}

/** An IP address after the @ must be in brackets. */
function createNoReplyAddress(baseUrl: string) {
  const { hostname } = new URL(baseUrl);
  if (hostname.startsWith("[")) return `no-reply@[IPv6:${hostname.slice(1)}`;
  return /^[\d.]+$/.test(hostname) ? `no-reply@[${hostname}]` : `no-reply@${hostname}`;
}

function parsePostgresUrl(value: string) {
  parseServerUrls(value);
  return value;
}

/** A value that is sent in a header. */
function parseToken(value: string) {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) throw new Error("at least 16 characters, no spaces");
  return value;
}

function textOfMinimumLength(minimum: number) {
  return (value: string) => {
    if (value.length < minimum) throw new Error(`at least ${minimum} characters`);
    return value;
  };
}
