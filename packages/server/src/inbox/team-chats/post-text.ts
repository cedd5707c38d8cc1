import type { Db } from "../../db/open.ts";
import type { TeamChatPostRow } from "../../db/team-chat-tables.ts";
import { oneLine, shortened } from "./chat-text.ts";
import type { PostToSend } from "./thread-store.ts";

/** The number of newest messages that a request quotes, and the maximum length of each quote. */
const QUOTED_MESSAGES = 4;
const QUOTED_LENGTH = 400;

/** `quote` neutralizes text written by visitors, see TeamChat. */
type Source = { db: Db; baseUrl: string; commandPrefix: string; quote(text: string): string };

/** The text of a post, read when it is sent. @returns null when its subject was deleted */
export async function textOfPost(source: Source, { post, thread }: PostToSend): Promise<string | null> {
  if (post.kind === "text" || !thread || post.subjectId === null) return post.text;
  return post.kind === "request"
    ? requestText(source, thread.conversationId, post.subjectId)
    : messageText(source, thread.conversationId, post.subjectId);
}

/** The title of a conversation's topic. */
export async function titleOfThread(db: Db, conversationId: string): Promise<string> {
  const { visitor, agentName } = await readConversation(db, conversationId);
  return oneLine(`${visitor} · ${agentName}`, 128);
}

async function requestText({ db, baseUrl, commandPrefix, quote }: Source, conversationId: string, handoffId: string) {
  const handoff = await db.selectFrom("handoffs").selectAll().where("id", "=", handoffId).executeTakeFirst();
  if (!handoff) return null;
  const { visitor, agentName, agentId } = await readConversation(db, conversationId);
  const quoted = await newestMessages(db, conversationId);
  const messages = quoted.map(({ role, authorName, content }) => {
    const author = role === "user" ? visitor : (authorName ?? agentName);
    return quote(`${author}: ${shortened(content.trim(), QUOTED_LENGTH)}`);
  });
  const promise = handoff.promisedAt === null ? null : `Reply promised by ${timeText(handoff.promisedAt)}.`;
  const parts = [
    [quote(`${visitor} asks for a person (${agentName}).`), promise].filter(Boolean).join(" "),
    handoff.reason && quote(`Reason: ${handoff.reason}`),
    handoff.summary && quote(`Summary: ${handoff.summary}`),
    messages.length > 0 ? `Last messages:\n${messages.join("\n")}` : null,
    [
      `Reply here to take over and answer.`,
      `${commandPrefix}take takes over without an answer, ${commandPrefix}return [note] returns the conversation to the agent,`,
      `${commandPrefix}close ends it.`,
    ].join(" "),
    `${baseUrl}/dashboard/agents/${agentId}/conversations/${conversationId}`,
  ];
  return parts.filter(Boolean).join("\n\n");
}

async function messageText({ db, quote }: Source, conversationId: string, messageId: string): Promise<string | null> {
  const message = await db
    .selectFrom("messages")
    .select(["role", "content", "authorName"])
    .where("id", "=", messageId)
    .where("conversationId", "=", conversationId)
    .executeTakeFirst();
  if (!message) return null;
  if (message.role === "assistant")
    return quote(`${message.authorName ?? "Agent"} (in the inbox):\n${message.content}`);
  const { visitor } = await readConversation(db, conversationId);
  return quote(`${visitor}:\n${message.content}`);
}

async function readConversation(db: Db, conversationId: string) {
  const row = await db
    .selectFrom("conversations")
    .innerJoin("agents", "agents.id", "conversations.agentId")
    .select(["conversations.userName", "conversations.userEmail", "agents.name as agentName", "agents.id as agentId"])
    .where("conversations.id", "=", conversationId)
    .executeTakeFirst();
  const visitor = oneLine(row?.userName || row?.userEmail || "", 60) || "Visitor";
  return { visitor, agentName: row?.agentName ?? "", agentId: row?.agentId ?? "" };
}

async function newestMessages(db: Db, conversationId: string) {
  const rows = await db
    .selectFrom("messages")
    .select(["role", "content", "authorName"])
    .where("conversationId", "=", conversationId)
    .where("content", "<>", "")
    .orderBy("position", "desc")
    .limit(QUOTED_MESSAGES)
    .execute();
  return rows.reverse();
}

/** UTC, because team members can be in different time zones. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Introduces a post that an earlier attempt may already have sent: the process ended before the platform responded. */
export function repeatedNotice({ startedAt }: Pick<TeamChatPostRow, "startedAt">): string {
  return startedAt === null ? "" : "(Sent again after an interruption. You may have received this already.)\n\n";
}
