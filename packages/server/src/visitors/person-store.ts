import { sql } from "kysely";
import type { Person } from "../conversations/visitor-key.ts";
import { agentExists, isVisible } from "../db/deleted-agents.ts";
import type { Deps } from "../deps.ts";

/** The maximum of each kind of entry that the page of a visitor has. */
const MAX_CONVERSATIONS = 100;
const MAX_SUBMISSIONS = 100;
const MAX_PAGES = 200;

/** Reads what the team sees about one visitor, newest first. */
export function createPersonStore({ db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">) {
  const options = (organizationId: string) => ({ lane: "list", owner: organizationId }) as const;
  const selectOwn = (organizationId: string, person: Person) =>
    db
      .selectFrom("conversations")
      .innerJoin("agents", "agents.id", "conversations.agentId")
      .where("conversations.organizationId", "=", organizationId)
      .where(isOfPerson(person, databaseKind))
      .where(isVisible("conversations"));
  return {
    async conversations(organizationId: string, person: Person) {
      const own = selectOwn(organizationId, person);
      const page = own
        .select(["conversations.id", "conversations.agentId", "agents.name as agentName", "title", "messageCount"])
        .select(["userId", "userEmail", "userName", "userMetadata", "isUserVerified", "verifiedVisitor"])
        .select(["handler", "isTest", "context", "lastMessageRole", "lastMessagePreview", "lastMessageAt"])
        .select(["ratingScore", "ratingComment", "ratedAt", "conversations.createdAt", "conversations.updatedAt"])
        .orderBy("conversations.id", "desc")
        .limit(MAX_CONVERSATIONS);
      const rows = await reads.run(page, options(organizationId));
      const [counted] = await reads.run(
        own.select((x) => [x.fn.countAll<number>().as("n"), x.fn.min<number>("conversations.createdAt").as("firstAt")]),
        options(organizationId),
      );
      return { rows, total: Number(counted?.n ?? 0), firstAt: counted?.firstAt ?? null };
    },
    /** The forms that the visitor demonstrably submitted: in one of these conversations, or as the person. */
    async submissions(organizationId: string, { kind, value }: Person, conversationIds: readonly string[]) {
      const page = db
        .selectFrom("submissions")
        .innerJoin("agents", "agents.id", "submissions.agentId")
        .select(["submissions.id", "submissions.agentId", "agents.name as agentName", "toolName", "status"])
        .select(["conversationId", "submissions.createdAt"])
        .where("submissions.organizationId", "=", organizationId)
        .where(agentExists("submissions"))
        .where(({ eb, or, and }) =>
          or([
            ...(conversationIds.length > 0
              ? [and([eb("conversationId", "in", conversationIds), eb("hasConversationProof", "=", 1)])]
              : []),
            ...(kind === "verified" ? [and([eb("userId", "=", value), eb("verifiedVisitor", "is not", null)])] : []),
            ...(kind === "claimed" ? [and([eb("userId", "=", value), eb("verifiedVisitor", "is", null)])] : []),
          ]),
        )
        .orderBy("submissions.id", "desc")
        .limit(MAX_SUBMISSIONS);
      return reads.run(page, options(organizationId));
    },
    /** The pages from which the visitor sent messages. */
    async pages(organizationId: string, conversationIds: readonly string[]) {
      if (conversationIds.length === 0) return [];
      const page = db
        .selectFrom("messages")
        .select(["conversationId", "page", "createdAt"])
        .where("conversationId", "in", conversationIds)
        .where("page", "is not", null)
        .orderBy("createdAt", "desc")
        .orderBy("position", "desc")
        .limit(MAX_PAGES);
      return reads.run(page, options(organizationId));
    },
    async exists(organizationId: string, person: Person): Promise<boolean> {
      const found = await selectOwn(organizationId, person).select("conversations.id").limit(1).executeTakeFirst();
      return found !== undefined;
    },
  };
}

function isOfPerson({ kind, value }: Person, databaseKind: Deps["databaseKind"]) {
  if (kind === "verified" || kind === "claimed") {
    return sql<boolean>`"userId" = ${value} and "isUserVerified" = ${kind === "verified" ? 1 : 0}`;
  }
  if (kind === "session") return sql<boolean>`"sessionId" = ${value} and "userId" is null and "userEmail" is null`;
  const isEmail =
    databaseKind === "sqlite" ? sql`"userEmail" = ${value} collate nocase` : sql`lower("userEmail") = ${value}`;
  return sql<boolean>`${isEmail} and "userId" is null`;
}
