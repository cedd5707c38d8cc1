import type { UnansweredReason } from "@foyer/contract";
import { sql } from "kysely";
import { isOutsideTrash } from "../../db/deleted-agents.ts";
import type { UnansweredQuestionRow } from "../../db/tables/answers.ts";
import type { Deps } from "../../deps.ts";

/**
 * The maximum number of other wordings that are read for each group. Wordings that differ only in case are merged
 * afterwards.
 */
const MAX_WORDINGS = 20;

type QuestionFilter = {
  organizationId: string;
  agentId: string;
  reason?: UnansweredReason | undefined;
  /** milliseconds; from inclusive, to exclusive */
  from?: number;
  to?: number;
};
type Page = { limit: number; offset: number };

export type GroupRow = {
  groupId: string;
  count: number;
  nothingFound: number;
  notCited: number;
  ratedDown: number;
  lastAt: number;
};
type WordingRow = { groupId: string; question: string };
type LatestRow = Pick<UnansweredQuestionRow, "groupId" | "conversationId" | "messageId">;

export type AnswerStore = ReturnType<typeof createAnswerStore>;

type StoreDeps = Pick<Deps, "db" | "reads">;

/** The cost of the reads grows with the number of recorded questions and citations, so they run as background reads. */
export function createAnswerStore(deps: StoreDeps) {
  return { ...groupReaders(deps), ...groupWriters(deps), ...citationReaders(deps) };
}

function groupReaders({ db, reads }: StoreDeps) {
  const { visible } = questionQueries(db);
  return {
    /** Groups of questions, most recently asked first. */
    async groups(filter: QuestionFilter, { limit, offset }: Page): Promise<{ rows: GroupRow[]; total: number }> {
      const options = { lane: "list", owner: filter.organizationId } as const;
      const page = visible(filter)
        .select([
          "groupId",
          (x) => x.fn.countAll<number>().as("count"),
          countReason("nothing_found").as("nothingFound"),
          countReason("not_cited").as("notCited"),
          countReason("rated_down").as("ratedDown"),
          (x) => x.fn.max<number>("at").as("lastAt"),
        ])
        .groupBy("groupId")
        .orderBy("lastAt", "desc")
        .orderBy("groupId")
        .limit(limit)
        .offset(offset);
      const rows = await reads.run(page, options);
      const [counted] = await reads.run(
        visible(filter).select((x) => x.fn.count<number>("groupId").distinct().as("n")),
        options,
      );
      return { rows, total: Number(counted?.n ?? 0) };
    },
    /** The distinct wordings of the groups, most frequent first. */
    async wordings(filter: QuestionFilter, groupIds: readonly string[]): Promise<WordingRow[]> {
      if (groupIds.length === 0) return [];
      const counted = visible(filter)
        .where("groupId", "in", groupIds)
        .groupBy(["groupId", "question"])
        .select([
          "groupId",
          "question",
          sql<number>`row_number() over (partition by "groupId" order by count(*) desc, max(at) desc, question)`.as(
            "rank",
          ),
        ]);
      const query = db
        .selectFrom(counted.as("counted"))
        .select(["groupId", "question"])
        .where("rank", "<=", MAX_WORDINGS)
        .orderBy("rank");
      return reads.run(query, { lane: "list", owner: filter.organizationId });
    },
    /** The reply to the latest question of each group. */
    async latest(filter: QuestionFilter, groupIds: readonly string[]): Promise<LatestRow[]> {
      if (groupIds.length === 0) return [];
      const ranked = visible(filter)
        .where("groupId", "in", groupIds)
        .select([
          "groupId",
          "conversationId",
          "messageId",
          sql<number>`row_number() over (partition by "groupId" order by at desc, "messageId" desc)`.as("rank"),
        ]);
      const query = db
        .selectFrom(ranked.as("ranked"))
        .select(["groupId", "conversationId", "messageId"])
        .where("rank", "=", 1);
      return reads.run(query, { lane: "list", owner: filter.organizationId });
    },
  };
}

function groupWriters({ db }: StoreDeps) {
  return {
    /** Hides a group. @returns false when the agent has no such group */
    async close(
      { organizationId, agentId, groupId }: { organizationId: string; agentId: string; groupId: string },
      outcome: "dismissed" | "answered",
    ): Promise<boolean> {
      const closedAt = Date.now();
      const existing = db
        .selectFrom("unansweredQuestions")
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("groupId", "=", groupId)
        .limit(1);
      const closed = await db
        .insertInto("closedQuestions")
        .columns(["agentId", "groupId", "organizationId", "outcome", "closedAt"])
        .expression(
          existing.select([
            "agentId",
            "groupId",
            "organizationId",
            sql<typeof outcome>`cast(${outcome} as text)`.as("outcome"),
            sql<number>`cast(${closedAt} as bigint)`.as("closedAt"),
          ]),
        )
        .onConflict((conflict) => conflict.columns(["agentId", "groupId"]).doUpdateSet({ outcome, closedAt }))
        .returning("groupId")
        .execute();
      return closed.length > 0;
    },
  };
}

function citationReaders({ db, reads }: StoreDeps) {
  return {
    /** The replies that cite a document, newest first. */
    async uses(organizationId: string, documentId: string, { limit, offset }: Page) {
      const options = { lane: "list", owner: organizationId } as const;
      const all = db
        .selectFrom("documentCitations")
        .where("documentId", "=", documentId)
        .where("organizationId", "=", organizationId)
        .where(isOutsideTrash("documentCitations"));
      const rows = await reads.run(
        all
          .select(["conversationId", "messageId", "question", "at"])
          .orderBy("at", "desc")
          .orderBy("messageId", "desc")
          .limit(limit)
          .offset(offset),
        options,
      );
      const [counted] = await reads.run(
        all.select((x) => x.fn.countAll<number>().as("n")),
        options,
      );
      return { rows, total: Number(counted?.n ?? 0) };
    },
  };
}

function questionQueries(db: Deps["db"]) {
  return {
    /** The questions of the filter whose group is not hidden. */
    visible: ({ organizationId, agentId, reason, from, to }: QuestionFilter) =>
      db
        .selectFrom("unansweredQuestions")
        .where("agentId", "=", agentId)
        .where("organizationId", "=", organizationId)
        .where(isOutsideTrash("unansweredQuestions"))
        .$if(reason !== undefined, (query) => query.where("reason", "=", reason ?? "not_cited"))
        .$if(from !== undefined, (query) => query.where("at", ">=", from ?? 0))
        .$if(to !== undefined, (query) => query.where("at", "<", to ?? 0))
        .where(
          sql<boolean>`not exists (select 1 from "closedQuestions" as closed
            where closed."agentId" = "unansweredQuestions"."agentId"
              and closed."groupId" = "unansweredQuestions"."groupId"
              and (closed.outcome = 'dismissed' or closed."closedAt" >= "unansweredQuestions".at))`,
        ),
  };
}

function countReason(reason: UnansweredReason) {
  return sql<number>`sum(case when reason = ${sql.lit(reason)} then 1 else 0 end)`;
}
