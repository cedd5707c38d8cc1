import type { ConversationStatus, Handler } from "@foyer/contract";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { indexTexts } from "../packages/server/src/conversations/search/index-texts.ts";
import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import { compileInsert } from "../packages/server/src/db/json-rows.ts";
import { type Db, openDatabase } from "../packages/server/src/db/open.ts";
import { withStatementTimeout } from "../packages/server/src/db/statement-timeout.ts";
import type { ConversationRow, MessageRow } from "../packages/server/src/db/tables.ts";
import { connect } from "../packages/server/src/documents/search/index-connection.ts";
import { createConversationText, createRandom, type Random } from "./inbox-texts.ts";

/** Rows of one statement. */
const BATCH = 500;
const VACUUM_MS = 10 * MINUTE_MS;
const MEMBERS = 12;
const AGENTS = 4;
const TAGS = 12;
/** The span over which the conversations of the organization are spread. */
const SPAN_MS = 365 * DAY_MS;
/** Two other organizations have a tenth of the conversations each, so that every query has to tell tenants apart. */
const OTHER_ORGANIZATIONS = 2;

/** What the benchmark needs to know about the organization that it looks at. */
export type FilledInbox = { agentId: string; teamId: string; tagIds: string[]; conversationId: string };

type Organization = {
  organizationId: string;
  agentIds: string[];
  memberIds: string[];
  teamIds: string[];
  tagIds: string[];
};

/**
 * Fills the database of a stopped server, whose organization has an agent already, with the conversations of a year: most
 * of them resolved by the agent and never read, some thousand open ones, a few with members of two teams, and a few that
 * wait. Two smaller organizations share the database.
 */
export async function fillInbox(address: DatabaseAddress, conversations: number): Promise<FilledInbox> {
  const { db, kind } = openDatabase(address, () => {});
  try {
    if (kind === "sqlite") await sql`pragma synchronous = off`.execute(db);
    const inserts = createInserts({ db, databaseKind: kind });
    const random = createRandom(1);
    const own = await readOrganization(db);
    await addPeople(db, own);
    const newest = await addConversations({ db, inserts, random }, own, { first: 0, count: conversations });
    for (let other = 0; other < OTHER_ORGANIZATIONS; other++) {
      const count = Math.round(conversations / 10);
      const organization = await addOrganization(db, `org_other${other}`, own.agentIds[0] ?? "");
      await addPeople(db, organization);
      await addConversations({ db, inserts, random }, organization, { first: conversations + other * count, count });
    }
    await indexConversations(address);
    if (kind === "postgres") await withStatementTimeout(VACUUM_MS, () => sql`vacuum analyze`.execute(db));
    const [agentId = "", teamId = ""] = [own.agentIds[0], own.teamIds[0]];
    return { agentId, teamId, tagIds: own.tagIds, conversationId: newest };
  } finally {
    await db.destroy();
  }
}

/** Fills the index for searches, as a server does in the background. */
async function indexConversations(address: DatabaseAddress): Promise<void> {
  const connection = await connect(address, "write");
  try {
    if (connection.kind === "sqlite") await connection.all("pragma synchronous = off");
    await indexTexts(connection, { before: Date.now(), isStopped: () => false });
  } finally {
    await connection.close();
  }
}

async function readOrganization(db: Db): Promise<Organization> {
  const agent = await db.selectFrom("agents").select(["id", "organizationId"]).executeTakeFirstOrThrow();
  const owner = await db.selectFrom("members").select("userId").executeTakeFirstOrThrow();
  const { organizationId } = agent;
  return { organizationId, agentIds: [agent.id], memberIds: [owner.userId], teamIds: [], tagIds: [] };
}

/** Adds an organization with an agent. */
async function addOrganization(db: Db, organizationId: string, modelAgent: string): Promise<Organization> {
  await db
    .insertInto("organizations")
    .values({
      id: organizationId,
      name: organizationId,
      slug: organizationId,
      logo: null,
      metadata: null,
      plan: "pro",
      createdAt: new Date().toISOString(),
    })
    .execute();
  const organization = { organizationId, agentIds: [], memberIds: [], teamIds: [], tagIds: [] };
  await copyAgent(db, modelAgent, organization, `agent_${organizationId}`);
  return { ...organization, agentIds: [`agent_${organizationId}`] };
}

async function copyAgent(db: Db, from: string, { organizationId }: Pick<Organization, "organizationId">, id: string) {
  const row = await db.selectFrom("agents").selectAll().where("id", "=", from).executeTakeFirstOrThrow();
  await db
    .insertInto("agents")
    .values({ ...row, id, organizationId, slug: id })
    .execute();
  await db.insertInto("agentCounters").values({ agentId: id, conversations: 0 }).execute();
}

/** Adds agents, members, teams and tags. */
async function addPeople(db: Db, organization: Organization): Promise<void> {
  const { organizationId, agentIds, memberIds, teamIds, tagIds } = organization;
  const at = new Date().toISOString();
  for (let n = agentIds.length; n < AGENTS; n++) {
    const id = `agent_${organizationId}_${n}`;
    await copyAgent(db, agentIds[0] ?? "", organization, id);
    agentIds.push(id);
  }
  for (let n = 0; n < MEMBERS; n++) {
    const id = `user_${organizationId}_${n}`;
    const email = `${id}@example.com`;
    await db
      .insertInto("users")
      .values({ id, name: `Member ${n}`, email, image: null, createdAt: at, updatedAt: at })
      .execute();
    await db
      .insertInto("members")
      .values({ id: `member_${id}`, organizationId, userId: id, role: "member", createdAt: at })
      .execute();
    memberIds.push(id);
  }
  for (const [n, name] of ["Orders", "Returns"].entries()) {
    const id = `team_${String(n).padStart(13, "0")}${toLetters(organizationId)}`;
    const team = { description: null, officeHours: null, assignment: "none", escalationTeamId: null } as const;
    const targets = { firstAnswer: null, nextAnswer: null, resolution: null, escalateAfter: null };
    const times = { createdAt: Date.now(), updatedAt: Date.now() };
    await db
      .insertInto("teams")
      .values({ id, organizationId, name, ...team, ...targets, ...times } as never)
      .execute();
    teamIds.push(id);
  }
  for (let n = 0; n < TAGS; n++) {
    const id = `tag_${String(n).padStart(13, "0")}${toLetters(organizationId)}`;
    const name = `topic ${n}`;
    await db.insertInto("tags").values({ id, organizationId, name, nameKey: name, createdAt: Date.now() }).execute();
    tagIds.push(id);
  }
}

/** 13 letters that differ between organizations, for ids. */
const toLetters = (organizationId: string) =>
  organizationId
    .replace(/[^0-9a-z]/g, "")
    .slice(-13)
    .padStart(13, "0");

type Inserts = ReturnType<typeof createInserts>;
type NewConversation = Pick<
  ConversationRow,
  | "id"
  | "organizationId"
  | "agentId"
  | "title"
  | "messageCount"
  | "textBytes"
  | "userEmail"
  | "userName"
  | "status"
  | "snoozedUntil"
  | "resolvedAt"
  | "handler"
  | "epoch"
  | "assigneeId"
  | "teamId"
  | "waitingSince"
  | "changedAt"
  | "lastMessageRole"
  | "lastMessagePreview"
  | "lastMessageAt"
  | "createdAt"
  | "updatedAt"
> & { readAt: number | null };
type NewMessage = Pick<
  MessageRow,
  "id" | "conversationId" | "position" | "role" | "content" | "stopReason" | "createdAt" | "updatedAt"
>;
type NewTag = { organizationId: string; conversationId: string; tagId: string };

function createInserts(deps: Parameters<typeof compileInsert>[0]) {
  return {
    conversations: compileInsert<NewConversation>(deps, "conversations", {
      id: "text",
      organizationId: "text",
      agentId: "text",
      title: "text",
      messageCount: "bigint",
      textBytes: "bigint",
      userEmail: "text",
      userName: "text",
      status: "text",
      snoozedUntil: "bigint",
      resolvedAt: "bigint",
      handler: "text",
      epoch: "bigint",
      assigneeId: "text",
      teamId: "text",
      waitingSince: "bigint",
      changedAt: "bigint",
      lastMessageRole: "text",
      lastMessagePreview: "text",
      lastMessageAt: "bigint",
      createdAt: "bigint",
      updatedAt: "bigint",
      readAt: "bigint",
    }),
    messages: compileInsert<NewMessage>(deps, "messages", {
      id: "text",
      conversationId: "text",
      position: "bigint",
      role: "text",
      content: "text",
      stopReason: "text",
      createdAt: "bigint",
      updatedAt: "bigint",
    }),
    tags: compileInsert<NewTag>(deps, "conversationTags", {
      organizationId: "text",
      conversationId: "text",
      tagId: "text",
    }),
  };
}

/** @returns the id of the newest conversation */
async function addConversations(
  { db, inserts, random }: { db: Db; inserts: Inserts; random: Random },
  organization: Organization,
  { first, count }: { first: number; count: number },
): Promise<string> {
  const { organizationId, agentIds, tagIds } = organization;
  const end = Date.now() - HOUR_MS;
  let newest = "";
  const counts = new Map<string, number>();
  for (let from = 0; from < count; from += BATCH) {
    const conversations: NewConversation[] = [];
    const messages: NewMessage[] = [];
    const tags: NewTag[] = [];
    const handoffs: Array<ReturnType<typeof toHandoff>> = [];
    for (let n = from; n < Math.min(count, from + BATCH); n++) {
      const id = `conv_${String(first + n).padStart(26, "0")}`;
      const agentId = pick(agentIds, random);
      const createdAt = end - Math.round(((count - n) / count) * SPAN_MS);
      const texts = createConversationText(first + n, random);
      const added = texts.map((content, position) => toMessage(id, position, { content, createdAt }));
      const row = toConversation({ id, organization, agentId, createdAt, random }, added);
      conversations.push(row);
      messages.push(...added);
      if (random() < 0.3) tags.push({ organizationId, conversationId: id, tagId: pick(tagIds, random) });
      if (row.handler !== "agent") handoffs.push(toHandoff(row));
      counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
      newest = id;
    }
    await inserts.conversations(db, conversations);
    await inserts.messages(db, messages);
    await inserts.tags(db, tags);
    if (handoffs.length > 0) await db.insertInto("handoffs").values(handoffs).execute();
  }
  for (const [agentId, added] of counts) {
    await db
      .updateTable("agentCounters")
      .set({ conversations: sql`conversations + ${added}` })
      .where("agentId", "=", agentId)
      .execute();
  }
  return newest;
}

function toMessage(
  conversationId: string,
  position: number,
  { content, createdAt }: Pick<MessageRow, "content" | "createdAt">,
): NewMessage {
  const at = createdAt + position * MINUTE_MS;
  const isVisitor = position % 2 === 0;
  return {
    id: `msg_${conversationId.slice(-22)}${String(position).padStart(4, "0")}`,
    conversationId,
    position,
    role: isVisitor ? "user" : "assistant",
    content,
    stopReason: isVisitor ? null : "end_turn",
    createdAt: at,
    updatedAt: at,
  };
}

function toConversation(
  {
    id,
    organization: { organizationId, memberIds, teamIds },
    agentId,
    createdAt,
    random,
  }: { id: string; organization: Organization; agentId: string; createdAt: number; random: Random },
  messages: readonly NewMessage[],
): NewConversation {
  const last = messages.at(-1);
  const updatedAt = last?.createdAt ?? createdAt;
  const { handler, status } = drawState(random);
  const isNamed = random() < 0.4;
  return {
    id,
    organizationId,
    agentId,
    title: messages[0]?.content.slice(0, 60) ?? "",
    messageCount: messages.length,
    textBytes: messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0),
    userEmail: isNamed ? `visitor${id.slice(-6)}@example.com` : null,
    userName: isNamed ? `Visitor ${id.slice(-6)}` : null,
    status,
    snoozedUntil: status === "snoozed" ? Date.now() + DAY_MS + Math.round(random() * 30 * DAY_MS) : null,
    resolvedAt: status === "resolved" ? updatedAt : null,
    handler,
    epoch: handler === "agent" ? 0 : 1,
    assigneeId: handler === "human" ? pick(memberIds, random) : null,
    teamId: handler !== "agent" && random() < 0.5 ? pick(teamIds, random) : null,
    waitingSince: handler === "waiting" ? updatedAt : null,
    changedAt: handler === "agent" ? 0 : updatedAt,
    lastMessageRole: last?.role ?? null,
    lastMessagePreview: last?.content.slice(0, 100) ?? null,
    lastMessageAt: updatedAt,
    // A member opens one conversation in four.
    readAt: random() < 0.25 ? updatedAt : null,
    createdAt,
    updatedAt,
  };
}

function drawState(random: Random): { handler: Handler; status: ConversationStatus } {
  const drawn = random();
  if (drawn < 0.001) return { handler: "waiting", status: "open" };
  if (drawn < 0.02) return { handler: "human", status: "open" };
  if (drawn < 0.06) return { handler: "agent", status: "open" };
  return { handler: "agent", status: drawn < 0.07 ? "snoozed" : "resolved" };
}

function toHandoff({ id, organizationId, agentId, teamId, handler, assigneeId, updatedAt }: NewConversation) {
  return {
    id: `hnd_${id.slice(5)}`,
    organizationId,
    agentId,
    conversationId: id,
    cause: "visitor" as const,
    reason: "Asks about an invoice",
    summary: null,
    email: null,
    requestedAt: updatedAt,
    promisedAt: null,
    takenAt: handler === "human" ? updatedAt : null,
    takenBy: assigneeId,
    answeredAt: null,
    endedAt: null,
    endedBy: null,
    endedById: null,
    note: null,
    announcedAt: updatedAt,
    teamId,
    escalatesAt: null,
    targets: null,
    warnAt: null,
  };
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}
