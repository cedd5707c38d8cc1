import { type RawBuilder, sql } from "kysely";
import { containsText } from "../db/contains-text.ts";
import { readPagesById } from "../db/pages-by-id.ts";
import type { Deps } from "../deps.ts";
import type { FoundConversation } from "./batch.ts";
import type { Identifier } from "./identifier.ts";
import { createMeasures } from "./measures.ts";

/** The number of conversations that are counted, exported and erased together. */
const PAGE_CONVERSATIONS = 100;
const PAGE_SUBMISSIONS = 500;
/** The number of submissions that one query searches for an email address, which takes about 20 ms. */
const SEARCHED_SUBMISSIONS = 2_000;

/** An instant in milliseconds. Data after it belongs to a visitor who came back. Infinity includes everything. */
type Until = number;

export type VisitorStore = ReturnType<typeof createVisitorStore>;

/** Finds and counts a visitor's rows. All of its reads run in the background, because they grow with the data. */
export function createVisitorStore({ db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">) {
  const listOf = (organizationId: string) => ({ lane: "list", owner: organizationId }) as const;

  return {
    /**
     * The visitor's conversations in pages: for an email address, first the visitor's own, and then those in which the
     * address was left.
     */
    async *conversations(
      organizationId: string,
      identifier: Identifier,
      until: Until,
    ): AsyncGenerator<FoundConversation[]> {
      const pages = (condition: RawBuilder<boolean>) =>
        readPagesById(PAGE_CONVERSATIONS, (after) => {
          const page = db
            .selectFrom("conversations")
            .select(["id", "agentId", "sessionId", "userId", "userEmail", "isUserVerified", "createdAt", "updatedAt"])
            .where("organizationId", "=", organizationId)
            .where(condition)
            .where("id", ">", after)
            .$if(Number.isFinite(until), (query) => query.where("createdAt", "<=", until))
            .orderBy("id")
            .limit(PAGE_CONVERSATIONS);
          return reads.run<FoundConversation>(page, listOf(organizationId));
        });
      const isTheirs = isOf(identifier, databaseKind);
      yield* pages(isTheirs);
      if (identifier.kind !== "email") return;
      yield* pages(sql`not coalesce(${isTheirs}, false) and id in (select "conversationId" from handoffs
        where "organizationId" = ${organizationId} and lower(email) = ${identifier.value})`);
    },
    /**
     * The submissions that name one of these conversations or this user, in pages. With `isProven`, only those whose
     * sender proved access to the conversation.
     */
    async *submissionsIn(
      organizationId: string,
      by: { conversationIds: readonly string[] } | { userId: string },
      { until = Number.POSITIVE_INFINITY, isProven = false }: { until?: Until; isProven?: boolean },
    ): AsyncGenerator<string[]> {
      const pages = readPagesById(PAGE_SUBMISSIONS, (after) => {
        const page = db
          .selectFrom("submissions")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where((where) =>
            "userId" in by ? where("userId", "=", by.userId) : where("conversationId", "in", by.conversationIds),
          )
          .$if(isProven, (query) => query.where("hasConversationProof", "=", 1))
          .where("id", ">", after)
          .$if(Number.isFinite(until), (query) => query.where("createdAt", "<=", until))
          .orderBy("id")
          .limit(PAGE_SUBMISSIONS);
        return reads.run(page, listOf(organizationId));
      });
      for await (const page of pages) yield page.map(({ id }) => id);
    },
    /**
     * The submissions in which an answer, or something that the visitor proved, contains this email address, in pages.
     * Reads all submissions of the organization.
     */
    async *submissionsWith(organizationId: string, email: string, until: Until): AsyncGenerator<string[]> {
      const needle = JSON.stringify(email).slice(1, -1);
      const search = { lane: "search", owner: organizationId } as const;
      const all = db.selectFrom("submissions").where("organizationId", "=", organizationId);
      for (let after = ""; ; ) {
        const next = all
          .select("id")
          .where("id", ">", after)
          .orderBy("id")
          .limit(1)
          .offset(SEARCHED_SUBMISSIONS - 1);
        const [last] = await reads.run(next, search);
        const page = all
          .select(["id", "formData", "verifiedVisitor"])
          .where("id", ">", after)
          .$if(last !== undefined, (query) => query.where("id", "<=", last?.id ?? ""))
          .$if(Number.isFinite(until), (query) => query.where("createdAt", "<=", until))
          .where((where) => where.or(textColumns.map((column) => containsText(databaseKind, column, needle))));
        const rows = await reads.run(page, search);
        const ids = rows.filter((row) => textColumns.some((column) => hasText(row[column], email))).map(({ id }) => id);
        if (ids.length > 0) yield ids;
        if (!last) return;
        after = last.id;
      }
    },
    ...createMeasures({ db, reads }),
  };
}

function isOf({ kind, value }: Identifier, databaseKind: Deps["databaseKind"]) {
  if (kind === "userId") return sql<boolean>`"userId" = ${value}`;
  if (kind === "sessionId") return sql<boolean>`"sessionId" = ${value}`;
  if (kind === "conversationId") return sql<boolean>`id = ${value}`;
  return databaseKind === "sqlite"
    ? sql<boolean>`"userEmail" = ${value} collate nocase`
    : sql<boolean>`lower("userEmail") = ${value}`;
}

/** The columns of a submission that can contain a visitor's email address. */
const textColumns = ["formData", "verifiedVisitor"] as const;

/** Whether this JSON contains the email address as a value. */
function hasText(json: string | null, email: string): boolean {
  return json !== null && isOrContains(JSON.parse(json), email);
}

function isOrContains(value: unknown, email: string): boolean {
  if (typeof value === "string") return value.trim().toLowerCase() === email;
  return typeof value === "object" && value !== null && Object.values(value).some((item) => isOrContains(item, email));
}
