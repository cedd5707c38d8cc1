import type { Generated } from "kysely";

/**
 * Every table, as Kysely sees it. Our own tables hold instants as milliseconds since 1970, flags as 0 or 1 and JSON as
 * text, because those read the same from SQLite and PostgreSQL. `users`, `identities`, `organizations` and `members`
 * are better-auth's models under our names; their instants are ISO strings on the way in.
 */
export type Tables = {
  organizations: OrganizationRow;
  users: UserRow;
  identities: IdentityRow;
  members: MemberRow;
  apiKeys: ApiKeyRow;
  providerSettings: ProviderSettingsRow;
  agents: AgentRow;
  agentCounters: AgentCountersRow;
  tools: ToolRow;
  secrets: SecretRow;
  conversations: ConversationRow;
  messages: MessageRow;
};

type Instant = number;
type Flag = 0 | 1;
type Json = string;

type OrganizationRow = {
  id: string;
  name: string;
  slug: string;
  logo: string | null;
  metadata: string | null;
  plan: string;
  createdAt: string;
};

type UserRow = {
  id: string;
  name: string;
  email: string;
  emailVerified: Generated<boolean>;
  image: string | null;
  createdAt: string;
  updatedAt: string;
};

/** A way to sign in; for a password `providerId` is `credential` and `accountId` the user's id. */
type IdentityRow = {
  id: string;
  userId: string;
  providerId: string;
  accountId: string;
  password: string | null;
  accessToken: string | null;
  refreshToken: string | null;
  idToken: string | null;
  accessTokenExpiresAt: string | null;
  refreshTokenExpiresAt: string | null;
  scope: string | null;
  createdAt: string;
  updatedAt: string;
};

type MemberRow = { id: string; organizationId: string; userId: string; role: string; createdAt: string };

type ApiKeyRow = {
  id: string;
  organizationId: string;
  createdBy: string | null;
  name: string;
  /** hex SHA-256 of the key */
  hash: string;
  /** the first characters, to recognise it by */
  start: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
  expiresAt: Instant | null;
};

/** An account's own model provider; wins over the environment. */
export type ProviderSettingsRow = {
  organizationId: string;
  provider: string;
  /** sealed, see auth/secret-box.ts */
  apiKey: string | null;
  baseUrl: string | null;
  updatedAt: Instant;
};

export type AgentRow = {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  model: string;
  systemPrompt: string | null;
  temperature: number;
  widget: Json;
  allowedOrigins: Json;
  allowedImageHosts: Json;
  requireIdentity: Flag;
  /** sealed */
  identitySecret: string;
  monthlyTokenBudget: number | null;
  budgetMessage: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** Kept apart from `agents`, so that busy counters do not rewrite wide rows. */
type AgentCountersRow = { agentId: string; conversations: number };

export type ToolRow = {
  id: string;
  organizationId: string;
  agentId: string;
  name: string;
  description: string;
  executionType: "mock" | "http" | "form";
  inputSchema: Json;
  isEnabled: Flag;
  displayConfig: Json | null;
  mockResponse: string | null;
  httpUrl: string | null;
  httpMethod: "GET" | "POST" | "PUT" | "DELETE" | null;
  httpHeaders: Json | null;
  formSchema: Json | null;
  formExecutionMode: "webhook" | "client" | "both" | null;
  formWebhookUrl: string | null;
  formClientHandler: string | null;
  formPostActions: Json | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** What http tools name as `{{NAME}}`. */
export type SecretRow = {
  organizationId: string;
  name: string;
  /** sealed */
  value: string;
  /** hosts that may get it; empty: the host of whichever tool names it */
  hosts: Json;
  createdAt: Instant;
  updatedAt: Instant;
};

export type ConversationRow = {
  id: string;
  organizationId: string;
  agentId: string;
  title: string;
  messageCount: number;
  sessionId: string | null;
  userId: string | null;
  userEmail: string | null;
  userName: string | null;
  userMetadata: Json | null;
  createdAt: Instant;
  updatedAt: Instant;
};

export type MessageRow = {
  id: string;
  conversationId: string;
  /** 0, 1, 2, … within the conversation */
  position: number;
  role: "user" | "assistant";
  content: string;
  /** the reply's pieces in order, when it is more than one text */
  pieces: Json | null;
  feedback: "up" | "down" | null;
  /** `null` on a reply that is still running */
  stopReason: string | null;
  /** 1 asks whichever process runs this reply to end it */
  stopRequested: Flag;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  createdAt: Instant;
  /** last sign of life of a running reply */
  updatedAt: Instant;
};
