import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../../packages/server/src/db/migrate.ts";
import { openDatabase } from "../../packages/server/src/db/open.ts";
import { inTransaction } from "../../packages/server/src/db/transaction.ts";
import { replaceInIndex } from "../../packages/server/src/documents/search/passage-index.ts";
import { createPassageSearch } from "../../packages/server/src/documents/search/passage-search.ts";
import { prepareDocument } from "../../packages/server/src/documents/search/prepare-document.ts";
import { createSqlite, type TestDatabase } from "../databases.ts";
import { kindsAlwaysFound, otherPassages, type SpellingQuestion, spellingQuestions } from "./spelling-questions.ts";

const organizationId = "org_1";
const questions = spellingQuestions();
const others = otherPassages(2_000);
let database: TestDatabase;
const missed: SpellingQuestion[] = [];

beforeAll(async () => {
  database = await createSqlite();
  const opened = openDatabase(database.address, () => {});
  await migrate(opened);
  const search = createPassageSearch(opened, console);
  // Each group of languages is an agent of its own with the same other passages, as a real knowledge base.
  const agentOf = ({ language, kind }: SpellingQuestion) => `agent_${language}${kind.endsWith("reversed") ? "_2" : ""}`;
  for (const [agentId, own] of Map.groupBy(questions, agentOf)) {
    const language = own[0]?.language ?? "";
    const passages = [...new Set(own.map(({ passage }) => passage))];
    const add = async (documentId: string, code: string, texts: readonly string[]) => {
      const parts = texts.map((text, ordinal) => ({ ordinal, heading: null, page: null, text, part: "body" as const }));
      const prepared = prepareDocument({ title: "Note", languages: [code], passages: parts });
      const version = { organizationId, agentId, documentId: `${agentId}/${documentId}`, version: 1 };
      await inTransaction(opened.db, (trx) => replaceInIndex(trx, version, { prepared }));
    };
    await add("others", "en", others);
    for (const [index, passage] of passages.entries()) await add(String(index), language, [passage]);
    for (const question of own) {
      const hits = await search.search({ organizationId, agentId, queries: [question.question], limit: 5 });
      if (!hits.some(({ text }) => text === question.passage)) missed.push(question);
    }
  }
  await search.close();
  await opened.db.destroy();
});
afterAll(() => database.drop());

it("the collection of spellings has at least 300 questions", () => {
  expect(questions.length).toBeGreaterThanOrEqual(300);
});

it("search finds at least 97 % of the passages that spell a word of the question differently, among the first five", () => {
  const list = missed.map(({ kind, question, passage }) => `${kind}: ${question} → ${passage}`).join("\n");
  expect(1 - missed.length / questions.length, list).toBeGreaterThanOrEqual(0.97);
});

it.each(kindsAlwaysFound)("search finds every passage whose question differs by the kind: %s", (kind) => {
  const list = missed.filter((question) => question.kind === kind);
  expect(list.map(({ question, passage }) => `${question} → ${passage}`)).toEqual([]);
});
