import type { ConversationCounts } from "@foyer/contract";
import type { Generated } from "kysely";
import type { DeletionColumns } from "./deleted-agents.ts";
import type { AnswerTables } from "./tables/answers.ts";
import type { AttachmentTables } from "./tables/attachments.ts";
import type { AuditTables } from "./tables/audit.ts";
import type { Flag, Instant, Json } from "./tables/column-types.ts";
import type { ConversationSearchTables } from "./tables/conversation-search.ts";
import type { DocumentTables } from "./tables/documents.ts";
import type { EvaluationTables } from "./tables/evaluations.ts";
import type { FormTables } from "./tables/forms.ts";
import type { AuthorColumns, HandoffTables, OwnershipColumns, OwnershipTable } from "./tables/handoff.ts";
import type { InboxTables } from "./tables/inbox.ts";
import type { AgentModelColumns, ConversationCost, ModelColumns, ModelTables } from "./tables/models.ts";
import type { NoteTables } from "./tables/notes.ts";
import type { NoticeTables } from "./tables/notices.ts";
import type { EventColumns, OutboxTables } from "./tables/outbox.ts";
import type { PageColumns, PageTables } from "./tables/page-calls.ts";
import type { IndexTables } from "./tables/passage-index.ts";
import type { PlanTables } from "./tables/plans.ts";
import type { PresenceTables } from "./tables/presence.ts";
import type { AskRatingColumns, RatingTable } from "./tables/ratings.ts";
import type { InvitationRow, PendingLinkRow, SessionRow, VerificationRow } from "./tables/sign-in.ts";
import type { ResolveColumns, StatusColumns } from "./tables/status.ts";
import type { TeamChatTables } from "./tables/team-chats.ts";
import type { TeamTables } from "./tables/teams.ts";
import type { TrashColumns, TrashTables } from "./tables/trash.ts";
import type { TriggerTables } from "./tables/triggers.ts";
import type {
  DraftColumns,
  LiveVersionColumns,
  MessageVersionColumns,
  RolloutColumns,
  VersionTables,
} from "./tables/versions.ts";
import type { VisitorTables } from "./tables/visitors.ts";

/**
 * Every table, as Kysely sees it. Our own tables store instants as milliseconds since 1970, flags as 0 or 1 and JSON as
 * text, because these are read in the same form from SQLite and PostgreSQL. `users`, `identities`, `organizations`,
 * `members`, `sessions`, `verifications` and `invitations` are better-auth's models. Their instants are written as ISO
 * strings.
 */
export type Tables = AnswerTables &
  AttachmentTables &
  AuditTables &
  ConversationSearchTables &
  DocumentTables &
  EvaluationTables &
  FormTables &
  HandoffTables &
  InboxTables &
  IndexTables &
  ModelTables &
  NoteTables &
  NoticeTables &
  OutboxTables &
  PageTables &
  PlanTables &
  PresenceTables &
  TeamChatTables &
  TrashTables &
  TeamTables &
  TriggerTables &
  VersionTables &
  VisitorTables & {
    organizations: OrganizationRow;
    users: UserRow;
    identities: IdentityRow;
    members: MemberRow;
    apiKeys: ApiKeyRow;
    providerSettings: ProviderSettingsRow;
    /** one row: what the server's secret signs, so that another secret is noticed */
    secretChecks: { id: number; value: string };
    agents: Omit<
      AgentRow,
      | keyof PageColumns
      | keyof AgentModelColumns
      | keyof LiveVersionColumns
      | keyof DraftColumns
      | keyof ResolveColumns
      | keyof AskRatingColumns
      | keyof RolloutColumns
      | "retention"
      | "tellModel"
      | "handoff"
      | "attachments"
      | "linkHosts"
    > &
      PageColumns & {
        retention: Generated<Json>;
        tellModel: Generated<Json>;
        handoff: Generated<Json>;
        attachments: Generated<Json>;
        linkHosts: Generated<Json>;
      } & { [Name in keyof AgentModelColumns]: Generated<AgentModelColumns[Name]> } & {
        [Name in keyof LiveVersionColumns]: Generated<LiveVersionColumns[Name]>;
      } & {
        [Name in keyof DraftColumns]: Generated<DraftColumns[Name]>;
      } & {
        [Name in keyof ResolveColumns]: Generated<ResolveColumns[Name]>;
      } & {
        [Name in keyof AskRatingColumns]: Generated<AskRatingColumns[Name]>;
      } & {
        [Name in keyof RolloutColumns]: Generated<RolloutColumns[Name]>;
      } & DeletionColumns;
    agentImages: AgentImageRow;
    agentCounters: AgentCountersRow;
    tools: Omit<ToolRow, "mayUseUnboundSecrets" | "sendVisitorToken"> & {
      mayUseUnboundSecrets: Generated<Flag>;
      sendVisitorToken: Generated<Flag>;
    };
    draftTools: ToolRow;
    toolErrors: ToolErrorRow;
    secrets: SecretRow;
    conversations: ConversationTable &
      InboxColumns &
      RatingTable &
      EventColumns &
      TrashColumns &
      OwnershipTable & { [Name in keyof ConversationCost]: Generated<number> };
    conversationHours: ConversationHourRow;
    messages: Omit<
      MessageRow,
      | "page"
      | "messageKey"
      | "isSupplied"
      | "removedLinks"
      | keyof MessageVersionColumns
      | keyof ModelColumns
      | keyof AuthorColumns
    > & {
      page: Generated<Json | null>;
      isSupplied: Generated<Flag>;
      removedLinks: Generated<Json | null>;
      messageKey: Generated<string | null>;
      agentVersion: Generated<number | null>;
    } & RatingEventColumns & {
        [Name in keyof ModelColumns]: Generated<ModelColumns[Name]>;
      } & {
        [Name in keyof AuthorColumns]: Generated<AuthorColumns[Name]>;
      };
    replyFailures: Omit<ReplyFailureRow, "isAnswered"> & { isAnswered: Generated<Flag> };
    sessions: SessionRow;
    verifications: VerificationRow;
    invitations: InvitationRow;
    pendingLinks: PendingLinkRow;
  };

/** Limits the events about the rating of a message, see events/rating-reports.ts. */
type RatingEventColumns = {
  /** the rating and comment in the last event, as JSON */
  ratingReported: Generated<Json | null>;
  ratingReportedAt: Generated<Instant | null>;
  /** when a change since then is reported; null if nothing has changed */
  ratingDueAt: Generated<Instant | null>;
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

/** A sign-in method of a user. For a password, `providerId` is `credential` and `accountId` is the user's id. */
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

type MemberRow = {
  id: string;
  organizationId: string;
  userId: string;
  role: string;
  createdAt: string;
  /** whether the member said to be away, and gets no conversations automatically */
  isAway: Generated<Flag>;
};

type ApiKeyRow = {
  id: string;
  organizationId: string;
  createdBy: string | null;
  name: string;
  /** hex SHA-256 of the key */
  hash: string;
  /** the first characters, which identify the key in lists */
  start: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
  expiresAt: Instant | null;
  /** 1 for FOYER_ADMIN_API_KEY, which is replaced when the variable changes */
  isFromEnvironment: Generated<Flag>;
};

/** An organization's own settings of a model provider. They replace those of the environment. */
export type ProviderSettingsRow = {
  organizationId: string;
  provider: string;
  /** what a named server is, one of the `serverKinds`; null for a built-in provider */
  kind: string | null;
  /** encrypted, see encryption.ts */
  apiKey: string | null;
  baseUrl: string | null;
  /** `ServerSettings` without the secret key */
  server: Json;
  /** encrypted: `secretAccessKey` of a Bedrock server */
  secretKey: string | null;
  updatedAt: Instant;
};

export type AgentRow = AgentModelColumns &
  ResolveColumns &
  AskRatingColumns &
  LiveVersionColumns &
  DraftColumns &
  RolloutColumns & {
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
    /** further hosts that replies may link to */
    linkHosts: Json;
    pageQuery: Json;
    followUps: Flag;
    requireIdentity: Flag;
    /** encrypted */
    identitySecret: string;
    /** paths of the verified facts that the model may read, see agents/identity/tell-model.ts */
    tellModel: Json;
    monthlyTokenBudget: number | null;
    budgetMessage: string | null;
    logoVersion: string | null;
    avatarVersion: string | null;
    launcherVersion: string | null;
    /** the days configured for each kind of data; missing kinds use the default, see agents/retention.ts */
    retention: Json;
    /** the configured handoff settings, see agents/handoff.ts */
    handoff: Json;
    /** what visitors can attach, see agents/attachment-settings.ts */
    attachments: Json;
    createdAt: Instant;
    updatedAt: Instant;
  };

/** An image that the agent has or had. */
type AgentImageRow = {
  agentId: string;
  kind: string;
  /** a hash of the content, see agents/image-service.ts */
  version: string;
  mediaType: string;
  content: Buffer;
  createdAt: Instant;
};

/** Separate from `agents` so that frequent updates do not rewrite wide rows. */
type AgentCountersRow = { agentId: string; conversations: number };

export type ToolRow = {
  id: string;
  organizationId: string;
  agentId: string;
  name: string;
  description: string;
  executionType: "mock" | "http" | "form" | "client";
  inputSchema: Json;
  isEnabled: Flag;
  /** shown to visitors instead of the name */
  label: string | null;
  resultFor: "both" | "model" | "visitor";
  /** `verified`: offered only to visitors whose identity is proven */
  requires: "verified" | null;
  displayConfig: Json | null;
  mockResponse: string | null;
  httpUrl: string | null;
  httpMethod: "GET" | "POST" | "PUT" | "DELETE" | null;
  httpHeaders: Json | null;
  /** the template of a JSON body; null sends the inputs */
  httpBody: Json | null;
  /** 1 adds the `Foyer-Visitor` header */
  sendVisitorToken: Flag;
  clientResultSchema: Json | null;
  formSchema: Json | null;
  formExecutionMode: "webhook" | "client" | "both" | null;
  formWebhookUrl: string | null;
  formClientHandler: string | null;
  formPostActions: Json | null;
  formConfirmation: Json | null;
  /** when it was last disabled; null while it is enabled, and for tools disabled before this was recorded */
  disabledAt: Instant | null;
  /** 1 when an admin chose the destination of its requests, see tools/tool-secrets.ts */
  mayUseUnboundSecrets: Flag;
  createdAt: Instant;
  updatedAt: Instant;
};

/** The last failure of a tool in a chat. */
export type ToolErrorRow = {
  toolId: string;
  at: Instant;
  message: string;
  /** the time of the first success since then */
  recoveredAt: Instant | null;
};

/** A value that HTTP tools refer to as `{{NAME}}`. */
export type SecretRow = {
  organizationId: string;
  name: string;
  /** encrypted */
  value: string;
  /** hosts that may receive it; if empty, the host of the tool that uses it */
  hosts: Json;
  createdAt: Instant;
  updatedAt: Instant;
};

export type ConversationRow = OwnershipColumns &
  StatusColumns & {
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
    /** 1 when a `userToken` or `userHash` proved `userId` */
    isUserVerified: Flag;
    /** what was proven, see agents/identity/verified-visitor.ts; the other user columns are as the page sent them */
    verifiedVisitor: Json | null;
    /** 1 when the first request named a visitor: only that visitor may continue it, see conversations/access.ts */
    hasOwner: Flag;
    /** 1 when a signed-in member began it, such as in the playground */
    isTest: Flag;
    /** part of the tokens in emailed links, which are revoked by increasing it */
    linkVersion: number;
    /** the id of the rollout whose version it drew when it began, see versions/rollouts.ts; null: the live version */
    rolloutId: string | null;
    /** UTF-8 bytes of all messages, and of their tool calls */
    textBytes: number;
    toolBytes: number;
    /** page, referrer, device and language at the start, see chat/turn/visit-context.ts */
    context: Json | null;
    /** the text that the visitor agreed to before the first message, and when */
    consent: Json | null;
    lastMessageRole: "user" | "assistant" | null;
    /** the beginning of the newest message that has text */
    lastMessagePreview: string | null;
    lastMessageAt: Instant | null;
    createdAt: Instant;
    updatedAt: Instant;
  };

/** Columns with a default are optional on insert. */
type ConversationTable = Omit<
  ConversationRow,
  | "hasOwner"
  | "isTest"
  | "linkVersion"
  | "rolloutId"
  | "textBytes"
  | "toolBytes"
  | "consent"
  | keyof OwnershipColumns
  | keyof StatusColumns
> & { [Name in keyof StatusColumns]: Generated<StatusColumns[Name]> } & {
  linkVersion: Generated<number>;
  rolloutId: Generated<string | null>;
  consent: Generated<Json | null>;
  isTest: Generated<Flag>;
  hasOwner: Generated<Flag>;
  textBytes: Generated<number>;
  toolBytes: Generated<number>;
};

/** Inbox state. New conversations start with the defaults. */
type InboxColumns = {
  /** identifies a first message that is sent again, see chat/turn/repeated-starts.ts; null when it cannot be */
  startKey: Generated<string | null>;
  /** When a member last opened the conversation. It is unread when this is null or earlier than `lastMessageAt`. */
  readAt: Generated<Instant | null>;
};

/** An agent's counters of one hour (UTC), without test conversations. */
type ConversationHourRow = Omit<ConversationCounts, keyof AddedCounts> &
  AddedCounts & {
    agentId: string;
    day: string;
    hour: number;
  };

/** Columns that were added to the counters. */
type AddedCounts = {
  [Name in
    | "cachedInputTokens"
    | "fallbackReplies"
    | "cost"
    | "unknownCostReplies"
    | "visitorAttachments"
    | "memberAttachments"]: Generated<number>;
};

export type MessageRow = AuthorColumns &
  ModelColumns &
  MessageVersionColumns & {
    id: string;
    conversationId: string;
    /** 0, 1, 2, … within the conversation */
    position: number;
    role: "user" | "assistant";
    content: string;
    /** the reply's pieces in order, unless it is a single text */
    pieces: Json | null;
    /** the page from which the visitor sent it, see chat/turn/message-page.ts */
    page: Json | null;
    /** an HMAC of the client's key of a visitor's message, unique within the conversation */
    messageKey: string | null;
    /** 1 when a client wrote it in the agent's name, with the history of a new conversation */
    isSupplied: Flag;
    /** the hosts to which links were removed from the text, see chat/filters/removed-links.ts */
    removedLinks: Json | null;
    feedback: "up" | "down" | null;
    feedbackComment: string | null;
    /** `null` on a reply that is still running */
    stopReason: string | null;
    /** 1 asks the process that runs this reply to stop it, and 2 to hand the conversation over */
    stopRequested: 0 | 1 | 2;
    model: string | null;
    inputTokens: number | null;
    outputTokens: number | null;
    createdAt: Instant;
    /** last heartbeat of a running reply */
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
  /** 1 when another model answered in place of the one that failed */
  isAnswered: Flag;
  at: Instant;
};
