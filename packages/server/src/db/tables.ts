import type { ActionType, ConversationCounts, TriggerType } from "@foyer/contract";
import type { ColumnType, Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";
import type { FormTables } from "./form-tables.ts";
import type { IndexTables } from "./index-tables.ts";

/**
 * Every table, as Kysely sees it. Our own tables hold instants as milliseconds since 1970, flags as 0 or 1 and JSON as
 * text, because those read the same from SQLite and PostgreSQL. `users`, `identities`, `organizations`, `members`,
 * `sessions`, `verifications` and `invitations` are better-auth's models; their instants are ISO strings on the way in.
 */
export type Tables = FormTables &
  IndexTables & {
    organizations: OrganizationRow;
    users: UserRow;
    identities: IdentityRow;
    members: MemberRow;
    apiKeys: ApiKeyRow;
    providerSettings: ProviderSettingsRow;
    agents: AgentRow;
    agentCounters: AgentCountersRow;
    tools: ToolRow;
    toolErrors: ToolErrorRow;
    secrets: SecretRow;
    conversations: ConversationTable & InboxColumns;
    conversationHours: ConversationHourRow;
    messages: MessageRow;
    replyFailures: ReplyFailureRow;
    triggers: TriggerRow;
    triggerDays: TriggerDayRow;
    triggerEvents: TriggerEventRow;
    idempotencyKeys: IdempotencyKeyRow;
    planMinutes: PlanMinuteRow;
    agentMonths: AgentMonthRow;
    visitorDays: VisitorDayRow;
    sessions: SessionRow;
    verifications: VerificationRow;
    invitations: InvitationRow;
    pendingLinks: PendingLinkRow;
    auditLog: AuditLogRow;
    organizationMonths: OrganizationMonthRow;
  };

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
  /** 1 for FOYER_ADMIN_API_KEY, which is replaced when the variable changes */
  isFromEnvironment: Generated<Flag>;
};

/** An account's own model provider; wins over the environment. */
export type ProviderSettingsRow = {
  organizationId: string;
  provider: string;
  /** encrypted, see encryption.ts */
  apiKey: string | null;
  baseUrl: string | null;
  updatedAt: Instant;
};

export type AgentRow = {
  id: string;
  organizationId: string;
  name: string;
  slug: string;
  /** null follows the default model */
  model: string | null;
  systemPrompt: string | null;
  temperature: number;
  widget: Json;
  allowedOrigins: Json;
  allowedImageHosts: Json;
  requireIdentity: Flag;
  /** encrypted */
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
  /** what visitors read instead of the name */
  label: string | null;
  resultFor: "both" | "model";
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
  formConfirmation: Json | null;
  /** when it was last switched off; null while it is enabled, and for tools disabled before this was recorded */
  disabledAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** How a tool failed last in a chat. */
export type ToolErrorRow = {
  toolId: string;
  at: Instant;
  message: string;
  /** of the first success since */
  recoveredAt: Instant | null;
};

/** What http tools name as `{{NAME}}`. */
export type SecretRow = {
  organizationId: string;
  name: string;
  /** encrypted */
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
  /** 1 when `userHash` proved `userId`; email, name and metadata are what the page claims in any case */
  isUserVerified: Flag;
  /** 1 when the first request named a visitor: only that visitor may continue it, see conversations/access.ts */
  hasOwner: Flag;
  /** 1 when a signed-in member began it, such as in the playground */
  isTest: Flag;
  /** UTF-8 bytes of all messages, and of their tool calls */
  textBytes: number;
  toolBytes: number;
  /** where the visitor was when it began, see chat/visit-context.ts */
  context: Json | null;
  lastMessageRole: "user" | "assistant" | null;
  /** the beginning of the newest message that has text */
  lastMessagePreview: string | null;
  lastMessageAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** These columns have a default. */
type ConversationTable = Omit<ConversationRow, "hasOwner" | "isTest" | "textBytes" | "toolBytes"> & {
  isTest: Generated<Flag>;
  hasOwner: Generated<Flag>;
  textBytes: Generated<number>;
  toolBytes: Generated<number>;
};

/** State of the inbox. New conversations start with the defaults. */
type InboxColumns = {
  /** When a member last opened the conversation. It is unread when this is null or earlier than `lastMessageAt`. */
  readAt: Generated<Instant | null>;
};

/** What happened with an agent in one hour of a day (UTC), without test conversations. */
type ConversationHourRow = ConversationCounts & { agentId: string; day: string; hour: number };

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
  feedbackComment: string | null;
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

/** Why a reply ended with an error. Deleted with its message. */
export type ReplyFailureRow = {
  messageId: string;
  conversationId: string;
  organizationId: string;
  agentId: string;
  /** null when no provider was involved */
  provider: string | null;
  model: string | null;
  code: string;
  /** for members of the organization, without keys or addresses */
  message: string;
  providerStatus: number | null;
  at: Instant;
};

export type TriggerRow = {
  id: string;
  organizationId: string;
  agentId: string;
  name: string;
  description: string | null;
  triggerType: TriggerType;
  conditions: Json;
  actionType: ActionType;
  actionConfig: Json;
  /** the form that `show_form` shows, null for other actions; null also once that tool is deleted, so nothing is shown */
  toolId: string | null;
  triggerOnce: Flag;
  isEnabled: Flag;
  priority: number;
  createdAt: Instant;
  updatedAt: Instant;
};

/** A trigger's counters of one day (UTC). */
export type TriggerDayRow = { triggerId: string; day: string; fired: number; converted: number };

/** What a widget reported; kept for 90 days. */
export type TriggerEventRow = {
  /** in the order of recording */
  id: Generated<number>;
  agentId: string;
  /** whose counters it is in; null when it is in none. The trigger may be gone. */
  triggerId: string | null;
  triggerName: string;
  triggerType: TriggerType;
  actionType: ActionType;
  eventType: "fired" | "converted";
  sessionId: string | null;
  pagePath: string | null;
  day: string;
  createdAt: Instant;
};

/** The answer to a request that came with an Idempotency-Key; kept for 24 hours. */
export type IdempotencyKeyRow = {
  /** SHA-256 of who sent the key, to where, and the key */
  id: string;
  /** whose resource it made; the answer goes with it */
  agentId: string;
  /** SHA-256 of what was sent */
  requestHash: string;
  answer: Json;
  createdAt: Instant;
};

/** What an account's keys called in the newest clock minute (minutes since 1970, by the database's clock). */
type PlanMinuteRow = { organizationId: string; minute: number; calls: number };

/** The tokens of an agent's replies in a calendar month (UTC, `2026-01`). */
type AgentMonthRow = { agentId: string; month: string; tokens: number };

/** The tokens that an organization's replies cost the operator's provider keys in a calendar month (UTC). */
type OrganizationMonthRow = { organizationId: string; month: string; tokens: number };

/** The tokens of the replies that one visitor got from an agent on a day (UTC). */
type VisitorDayRow = { agentId: string; visitor: string; day: string; tokens: number };

/** PostgreSQL gives a `Date`, SQLite the ISO string it got. */
type StoredDate = ColumnType<string | Date, string, string>;

/** A signed-in browser. */
type SessionRow = {
  id: string;
  userId: string;
  /** what the signed cookie holds */
  token: string;
  expiresAt: StoredDate;
  ipAddress: string | null;
  userAgent: string | null;
  /** the organization that it works in, one of the user's */
  activeOrganizationId: string | null;
  createdAt: StoredDate;
  updatedAt: StoredDate;
};

/** A link or a redirect under way; written by better-auth alone. `identifier` is a hash. */
type VerificationRow = {
  id: string;
  identifier: string;
  value: string;
  expiresAt: StoredDate;
  createdAt: StoredDate;
  updatedAt: StoredDate;
};

export type InvitationRow = {
  id: string;
  organizationId: string;
  email: string;
  role: string;
  status: "pending" | "accepted" | "canceled";
  expiresAt: StoredDate;
  inviterId: string;
  createdAt: StoredDate;
};

/** A link that would have been mailed, where no mail is sent. */
export type PendingLinkRow = {
  id: string;
  kind: "sign-in" | "password-reset";
  email: string;
  /** encrypted */
  url: string;
  createdAt: Instant;
  expiresAt: Instant;
};

/** Who changed what. The actor and the resource may be gone. */
export type AuditLogRow = {
  id: string;
  organizationId: string;
  at: Instant;
  actorType: "user" | "key";
  actorId: string;
  actorName: string;
  action: string;
  resource: string | null;
  resourceId: string | null;
  /** the resource's name or address at the time */
  resourceName: string | null;
  ip: string;
};
