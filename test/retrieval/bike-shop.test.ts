import { afterAll, beforeAll, expect, it } from "vitest";
import { type Collection, readCollections } from "../../bench/retrieval-collections.ts";
import { type Answer, measureAnswers } from "../../bench/retrieval-measures.ts";
import { migrate } from "../../packages/server/src/db/migrate.ts";
import { openDatabase } from "../../packages/server/src/db/open.ts";
import { inTransaction } from "../../packages/server/src/db/transaction.ts";
import { replaceInIndex } from "../../packages/server/src/documents/search/passage-index.ts";
import { createPassageSearch } from "../../packages/server/src/documents/search/passage-search.ts";
import { prepareDocument } from "../../packages/server/src/documents/search/prepare-document.ts";
import { createPostgres, createSqlite, type TestDatabase } from "../databases.ts";

/** The help center of the example shop in six languages, each with its own agent; languages are detected. */
const collections = readCollections(import.meta.dirname);
const organizationId = "org_1";

type Answers = Map<string, Answer[]>;
const databases: TestDatabase[] = [];
let onSqlite: Answers;
let onPostgres: Answers;

beforeAll(async () => {
  onSqlite = await answerAll(await createSqlite());
  onPostgres = await answerAll(await createPostgres());
});
afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function answerAll(database: TestDatabase): Promise<Answers> {
  databases.push(database);
  const opened = openDatabase(database.address, () => {});
  await migrate(opened);
  const passages = createPassageSearch(opened, console);
  const answers: Answers = new Map();
  for (const { name: agentId, documents, questions } of collections) {
    for (const { id, title, passages: parts } of documents) {
      const prepared = prepareDocument({ title, languages: null, passages: parts });
      const version = { organizationId, agentId, documentId: id, version: 1 };
      await inTransaction(opened.db, (trx) => replaceInIndex(trx, version, { prepared }));
    }
    const found: Answer[] = [];
    for (const { text, relevant } of questions) {
      const hits = await passages.search({ organizationId, agentId, queries: [text], limit: 10 });
      found.push({ relevant, documents: hits.map(({ documentId }) => documentId), score: hits[0]?.score ?? 0 });
    }
    answers.set(agentId, found);
  }
  await passages.close();
  await opened.db.destroy();
  return answers;
}

const count = (value: (collection: Collection) => number) => collections.reduce((sum, each) => sum + value(each), 0);

it("the bike shop collection has 60 documents and 200 questions in six languages, a fifth without an answer", () => {
  expect(collections).toHaveLength(6);
  expect(count(({ documents }) => documents.length)).toBe(60);
  const questions = count((collection) => collection.questions.length);
  const unanswerable = count((collection) => collection.questions.filter(({ relevant }) => relevant === null).length);
  expect(questions).toBeGreaterThanOrEqual(200);
  expect(unanswerable / questions).toBeCloseTo(0.2, 2);
});

it.each(collections.map(({ name }) => name))(
  "search ranks the right help center page among the first results in the collection %s",
  (name) => {
    const { ndcg10, recall5 } = measureAnswers(onSqlite.get(name) ?? []);
    expect(ndcg10).toBeGreaterThanOrEqual(0.85);
    expect(recall5).toBeGreaterThanOrEqual(0.9);
  },
);

it("search ranks the right page first for most questions, including those with typos", () => {
  const { ndcg10, recall5 } = measureAnswers([...onSqlite.values()].flat());
  expect(ndcg10).toBeGreaterThanOrEqual(0.9);
  expect(recall5).toBeGreaterThanOrEqual(0.93);
});

it("search scores questions with an answer higher than questions without one", () => {
  expect(measureAnswers([...onSqlite.values()].flat()).answerable).toBeGreaterThanOrEqual(0.88);
});

it("search returns the same top ten results and scores on SQLite and PostgreSQL", () => {
  expect(onPostgres).toEqual(onSqlite);
});
