import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Adds the owner, the size and the list preview of conversations, failed replies, and agents that follow the default
 * model.
 */
export async function chat(db: Kysely<Tables>): Promise<void> {
  await letAgentsFollowTheDefault(db);
  await extendConversations(db);
  await createReplyFailures(db);
  await db.schema
    .alterTable("submissions")
    .addColumn("hasConversationProof", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}

/**
 * Makes `agents.model` nullable by replacing the column: SQLite cannot drop a NOT NULL constraint. Agents on the demo
 * got it because no provider was configured when they were created, so they follow the default from now on.
 */
async function letAgentsFollowTheDefault(db: Kysely<Tables>) {
  await db.schema.alterTable("agents").addColumn("chosenModel", "text").execute();
  await sql`update agents set "chosenModel" = model where model <> 'foyer/demo'`.execute(db);
  await db.schema.alterTable("agents").dropColumn("model").execute();
  await db.schema.alterTable("agents").renameColumn("chosenModel", "model").execute();
}

async function extendConversations(db: Kysely<Tables>) {
  const add = (name: string, type: "text" | "integer" | "bigint") =>
    db.schema
      .alterTable("conversations")
      .addColumn(name, type, (c) => (type === "text" ? c : c.notNull().defaultTo(0)))
      .execute();
  await add("hasOwner", "integer");
  await add("textBytes", "bigint");
  await add("toolBytes", "bigint");
  await add("context", "text");
  await add("lastMessageRole", "text");
  await add("lastMessagePreview", "text");
  await db.schema.alterTable("conversations").addColumn("lastMessageAt", "bigint").execute();
  await sql`update conversations set "hasOwner" = 1 where coalesce("sessionId", "userId", "userEmail", "userName", "userMetadata") is not null`.execute(
    db,
  );
  const ofMessages = (value: ReturnType<typeof sql>) =>
    sql`(select ${value} from messages where messages."conversationId" = conversations.id)`;
  await sql`update conversations set
    "textBytes" = ${ofMessages(sql`coalesce(sum(octet_length(content)), 0)`)},
    "toolBytes" = ${ofMessages(sql`coalesce(sum(octet_length(pieces)), 0)`)}`.execute(db);
  const ofLastMessage = (column: string) => sql`(select ${sql.raw(column)} from messages
    where messages."conversationId" = conversations.id and content <> '' order by position desc limit 1)`;
  await sql`update conversations set
    "lastMessageRole" = ${ofLastMessage("role")},
    "lastMessagePreview" = ${ofLastMessage("substr(content, 1, 160)")},
    "lastMessageAt" = ${ofLastMessage('"createdAt"')}`.execute(db);
}

async function createReplyFailures(db: Kysely<Tables>) {
  await db.schema
    .createTable("replyFailures")
    .addColumn("messageId", "text", (c) => c.primaryKey().references("messages.id").onDelete("cascade"))
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("provider", "text")
    .addColumn("model", "text")
    .addColumn("code", "text", (c) => c.notNull())
    .addColumn("message", "text", (c) => c.notNull())
    .addColumn("providerStatus", "integer")
    .addColumn("at", "bigint", (c) => c.notNull())
    .execute();
  await sql`insert into "replyFailures"
    ("messageId", "conversationId", "organizationId", "agentId", model, code, message, at)
    select messages.id, conversations.id, "organizationId", "agentId", model, 'MODEL_UNAVAILABLE',
      'The reason was not recorded.', messages."updatedAt"
    from messages join conversations on conversations.id = messages."conversationId"
    where messages."stopReason" = 'error'`.execute(db);
  const index = (name: string) => db.schema.createIndex(`replyFailures${name}`).on("replyFailures");
  await index("Conversation").column("conversationId").execute();
  await index("Organization").columns(["organizationId", "at"]).execute();
}
