import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { DocumentRow } from "../db/tables/documents.ts";
import type { Found } from "./describe-passages.ts";
import { currentTitleAndUrl } from "./document-columns.ts";
import { promptLimits } from "./knowledge-prefix.ts";

type Owner = Pick<DocumentRow, "organizationId" | "agentId">;
type PassageRow = Omit<Found, "score" | "matched"> &
  Pick<DocumentRow, "readyTitle" | "readyUrl"> & { question: string | null };
type Totals = { documents: number; chunks: number; characters: number };

/** The document queries that run for each reply. Both are compiled once and read a bounded number of rows. */
export function createKnowledgeQueries(db: Db) {
  const totals = compileOnce<Owner, Totals>((param) =>
    db
      .selectFrom(
        db
          .selectFrom("documents")
          .select(["chunks", "characters"])
          .where("organizationId", "=", param("organizationId"))
          .where("agentId", "=", param("agentId"))
          .where("isEnabled", "=", 1)
          .where("readyVersion", "is not", null)
          // One document more than fits into the prompt is enough to know that there are too many.
          .limit(promptLimits.documents + 1)
          .as("searchable"),
      )
      .select(({ fn }) => [
        fn.countAll<number>().as("documents"),
        fn.sum<number>("chunks").as("chunks"),
        fn.sum<number>("characters").as("characters"),
      ]),
  );
  const passages = compileOnce<Owner, PassageRow>((param) =>
    db
      .selectFrom("documents")
      .innerJoin("documentChunks", (join) =>
        join
          .onRef("documentChunks.documentId", "=", "documents.id")
          .onRef("documentChunks.version", "=", "documents.readyVersion"),
      )
      .select([
        "documents.id as documentId",
        "documents.title",
        "documents.url",
        "documents.readyTitle",
        "documents.readyUrl",
        "documents.citation",
        "documentChunks.ordinal",
        "documentChunks.page",
        "documentChunks.heading",
        "documentChunks.question",
        "documentChunks.text",
      ])
      .where("documents.organizationId", "=", param("organizationId"))
      .where("documents.agentId", "=", param("agentId"))
      .where("documents.isEnabled", "=", 1)
      .where("documents.readyVersion", "is not", null)
      .orderBy("documents.id")
      .orderBy("documentChunks.ordinal")
      .limit(promptLimits.chunks),
  );

  return {
    /** `none`: the agent has no searchable document. `small`: all documents fit into the prompt. */
    async knowledgeSize(organizationId: string, agentId: string): Promise<"none" | "small" | "large"> {
      const [found] = (await totals(db, { organizationId, agentId })).rows;
      if (!found || Number(found.documents) === 0) return "none";
      const isSmall =
        Number(found.documents) <= promptLimits.documents &&
        Number(found.chunks) <= promptLimits.chunks &&
        Number(found.characters) < promptLimits.characters;
      return isSmall ? "small" : "large";
    },
    /** All passages of an agent with few documents, oldest document first. */
    async allPassages(organizationId: string, agentId: string): Promise<Found[]> {
      const { rows } = await passages(db, { organizationId, agentId });
      return rows.map(({ question, heading, title, url, readyTitle, readyUrl, ...passage }) => ({
        ...passage,
        ...currentTitleAndUrl({ title, url, readyTitle, readyUrl }),
        score: null,
        matched: [],
        heading: heading ?? question?.split("\n")[0] ?? null,
      }));
    },
  };
}
