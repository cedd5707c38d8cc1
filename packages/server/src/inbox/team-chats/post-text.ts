import { replyTargetKinds } from "@foyer/contract";
import type { Db } from "../../db/open.ts";
import type { TeamChatPostRow } from "../../db/tables/team-chats.ts";
import { parseTargets } from "../teams/record-targets.ts";
import { targetDone } from "../teams/target-warnings.ts";
import { shorten, toOneLine } from "./chat-text.ts";
import type { PostToSend } from "./thread-store.ts";

/** The number of newest messages that a request quotes, and the maximum length of each quote. */
const QUOTED_MESSAGES = 4;
const QUOTED_LENGTH = 400;

/** `quote` neutralizes text written by visitors, see TeamChat. */
type Source = { db: Db; baseUrl: string; commandPrefix: string; quote(text: string): string };

/** Renders the text of a post when it is sent. @returns null if there is nothing to post anymore */
export async function renderPost(source: Source, { post, thread }: PostToSend): Promise<string | null> {
  if (post.kind === "text" || !thread || post.subjectId === null) return post.text;
  const { conversationId } = thread;
  if (post.kind === "target") return renderTarget(source, conversationId, { handoffId: post.subjectId, ...post });
  return post.kind === "request"
    ? renderRequest(source, conversationId, post.subjectId)
    : renderMessage(source, conversationId, post.subjectId);
}

/** Reads the title for the topic of a conversation. */
export async function readThreadTitle(db: Db, conversationId: string): Promise<string> {
  const { visitor, agentName } = await readConversation(db, conversationId);
  return toOneLine(`${visitor} · ${agentName}`, 128);
}

async function renderRequest({ db, baseUrl, commandPrefix, quote }: Source, conversationId: string, handoffId: string) {
  const handoff = await db.selectFrom("handoffs").selectAll().where("id", "=", handoffId).executeTakeFirst();
  if (!handoff) return null;
  const { visitor, agentName, agentId } = await readConversation(db, conversationId);
  const quoted = await readNewestMessages(db, conversationId);
  const messages = quoted.map(({ role, authorName, isSupplied, content }) => {
    const agent = isSupplied === 1 ? `${agentName} (sent by the visitor's client)` : agentName;
    const author = role === "user" ? visitor : (authorName ?? agent);
    return quote(`${author}: ${shorten(content.trim(), QUOTED_LENGTH)}`);
  });
  const promise = handoff.promisedAt === null ? null : `Reply promised by ${formatTime(handoff.promisedAt)}.`;
  const parts = [
    [quote(`${visitor} wants to talk to a person (${agentName}).`), promise].filter(Boolean).join(" "),
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

/** @returns null if the target was met in the meantime */
async function renderTarget(
  { db, baseUrl, quote }: Source,
  conversationId: string,
  { handoffId, text }: { handoffId: string; text: string | null },
): Promise<string | null> {
  const handoff = await db
    .selectFrom("handoffs")
    .select(["targets", "endedAt"])
    .where("id", "=", handoffId)
    .executeTakeFirst();
  const kind = replyTargetKinds.find((one) => one === text);
  if (!handoff || handoff.endedAt !== null || kind === undefined) return null;
  const target = parseTargets(handoff)[kind];
  if (!target) return null;
  const { visitor, agentName, agentId } = await readConversation(db, conversationId);
  const due = `${visitor} should ${targetDone[kind]} by ${formatTime(target.dueAt)} (${agentName}).`;
  return `${quote(due)}\n${baseUrl}/dashboard/agents/${agentId}/conversations/${conversationId}`;
}

async function renderMessage({ db, quote }: Source, conversationId: string, messageId: string): Promise<string | null> {
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
  const visitor = toOneLine(row?.userName || row?.userEmail || "", 60) || "Visitor";
  return { visitor, agentName: row?.agentName ?? "", agentId: row?.agentId ?? "" };
}

async function readNewestMessages(db: Db, conversationId: string) {
  const rows = await db
    .selectFrom("messages")
    .select(["role", "content", "authorName", "isSupplied"])
    .where("conversationId", "=", conversationId)
    .where("content", "<>", "")
    .orderBy("position", "desc")
    .limit(QUOTED_MESSAGES)
    .execute();
  return rows.reverse();
}

/** Formats a time in UTC, because team members can be in different time zones. */
export function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Returns a notice for a post that an earlier attempt may already have sent, because the process ended before the
 * platform responded. Returns an empty string for any other post.
 */
export function createRepeatNotice({ startedAt }: Pick<TeamChatPostRow, "startedAt">): string {
  return startedAt === null ? "" : "(Sent again after an interruption. You may have received this already.)\n\n";
}
