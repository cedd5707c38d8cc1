import { loadavg } from "node:os";
import { prepareDocument } from "../../packages/server/src/documents/search/prepare-document.ts";
import { ms, type Row, times } from "../figure.ts";
import { fillIndex } from "../fill-index.ts";
import { organizationId, type PassageDatabase, withBothDatabases } from "../passage-databases.ts";
import { type Collection, readCollections } from "../retrieval-collections.ts";
import { type Answer, type Measures, measureAnswers } from "../retrieval-measures.ts";
import { quantile } from "../rounds.ts";
import { bigAgent, smallAgent, syntheticDocument, syntheticQuestions } from "../synthetic-passages.ts";

/** `collections` is a folder of test collections, see the README. Without it, only times are measured. */
export type RetrievalOptions = { collections: string | null; chunks: number };

type Goal = { measure: keyof Measures; least: number };

/** The scores that public collections with these names should reach. */
const goals: ReadonlyArray<{ name: RegExp } & Goal> = [
  { name: /^xquad-/, measure: "ndcg10", least: 0.945 },
  { name: /^covidfaq-/, measure: "ndcg10", least: 0.55 },
  { name: /^banking77-/, measure: "hit5", least: 0.92 },
  { name: /^clinc150-/, measure: "answerable", least: 0.88 },
];

const labels = { ndcg10: "nDCG@10", recall5: "recall@5", hit5: "hit@5", answerable: "has an answer, AUC" } as const;

/** Ranking quality on test collections, and the search time in a large agent and in a small one beside it. */
export async function measureRetrieval({ collections, chunks }: RetrievalOptions): Promise<Row[]> {
  const rows: Row[] = [];
  await withBothDatabases(async (databases) => {
    if (collections !== null) rows.push(...(await measureQuality(databases, readCollections(collections))));
    if (chunks > 0) rows.push(...(await measureTimes(databases, chunks)));
  });
  return rows;
}

type Databases = readonly PassageDatabase[];

async function measureQuality(databases: Databases, collections: readonly Collection[]): Promise<Row[]> {
  const measured: Array<{ name: string; measures: Measures }> = [];
  let differences = 0;
  for (const collection of collections) {
    await addCollection(databases, collection);
    const [answers = [], ...others] = await Promise.all(databases.map((database) => ask(database, collection)));
    measured.push({ name: collection.name, measures: measureAnswers(answers) });
    const firstTen = answers.map(({ documents }) => documents.join(" "));
    for (const other of others)
      differences += other.filter(({ documents }, index) => documents.join(" ") !== firstTen[index]).length;
    console.error(`${collection.name}: ${answers.length} questions`);
  }
  return [...qualityRows(measured), createRow("questions with other first ten than SQLite", differences, 0, false)];
}

async function addCollection(databases: Databases, { name, documents }: Collection): Promise<void> {
  const text = documents.map(({ passages }) => passages[0]?.text ?? "").join("\n");
  // One language per collection, because short entries alone are too short to detect it.
  const languages = detectLanguages(text, name);
  for (const { id, title, passages } of documents) {
    const prepared = prepareDocument({ title, languages, passages });
    for (const database of databases) await database.add(agentOf(name), id, prepared);
  }
  for (const database of databases) await database.settle(agentOf(name));
}

const agentOf = (collection: string) => `agent_${collection}`;

async function ask(database: PassageDatabase, { name, questions }: Collection): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { text, relevant } of questions) {
    const hits = await database.search(agentOf(name), text, 10);
    const documents = [...new Set(hits.map(({ documentId }) => documentId))];
    answers.push({ relevant, documents, score: hits[0]?.score ?? 0 });
  }
  return answers;
}

function detectLanguages(text: string, name: string): string[] {
  const [, code] = /-([a-z]{2})$/.exec(name) ?? [];
  if (code) return [code];
  const { languages } = prepareDocument({
    title: "",
    languages: null,
    passages: [{ ordinal: 0, heading: null, page: null, text: text.slice(0, 4_000), part: "body" }],
  });
  return languages;
}

function qualityRows(measured: ReadonlyArray<{ name: string; measures: Measures }>): Row[] {
  const rows = measured.flatMap(({ name, measures }) =>
    (["ndcg10", "recall5", "hit5", "answerable"] as const).flatMap((measure) => {
      const value = measures[measure];
      const goal = goals.find((candidate) => candidate.name.test(name) && candidate.measure === measure);
      return value === null ? [] : [createRow(`${name} ${labels[measure]}`, value, goal?.least ?? null)];
    }),
  );
  const parallel = measured.filter(({ name }) => name.startsWith("xquad-"));
  if (parallel.length === 0) return rows;
  const mean = (measure: "ndcg10" | "recall5") =>
    parallel.reduce((sum, { measures }) => sum + measures[measure], 0) / parallel.length;
  return [
    ...rows,
    createRow("xquad mean nDCG@10", mean("ndcg10"), 0.96),
    createRow("xquad mean recall@5", mean("recall5"), 0.975),
  ];
}

function createRow(name: string, value: number, goal: number | null, isLeast = true): Row {
  return {
    figure: name,
    measured: value.toFixed(isLeast ? 4 : 0),
    baseline: "-",
    ratio: "-",
    target: goal === null ? "-" : `${isLeast ? ">=" : "<="} ${goal}`,
    isMet: goal === null || (isLeast ? value >= goal : value <= goal),
  };
}

/** 95th percentiles of the time from the question to the hits, and of this process's CPU time in between. */
async function measureTimes(databases: Databases, chunks: number): Promise<Row[]> {
  await fill(databases, chunks);
  const rows: Row[] = [];
  for (const database of databases) {
    const large = await measureSearches(database, bigAgent);
    const small = await measureSearches(database, smallAgent);
    const isSqlite = database.name === "SQLite";
    const target = chunks > 100_000 ? (isSqlite ? 40 : 60) : isSqlite ? 15 : 35;
    const load = `load ${loadavg()[0]?.toFixed(1)}`;
    rows.push(
      timeRow(`search p95, ${chunks} chunks, ${database.name} (${load})`, large, target),
      timeRow(`search p95, 100 chunks beside them, ${database.name} (${load})`, small, 3),
    );
  }
  return rows;
}

async function fill(databases: Databases, chunks: number): Promise<void> {
  for (const database of databases) await database.addAgent(bigAgent);
  await fillIndex(
    databases.map(({ address }) => address),
    { organizationId, agentId: bigAgent },
    chunks,
  );
  for (let n = 0; n < 20; n++) {
    const document = syntheticDocument(n, 5);
    for (const database of databases) await database.add(smallAgent, `doc_${n}`, document);
  }
}

type Times = { ms: number; cpuMs: number; bareMs: number };

/** Searches alternate with bare statements, so that other load on the machine slows down both. */
async function measureSearches(database: PassageDatabase, agentId: string): Promise<Times> {
  const searches: number[] = [];
  const statements: number[] = [];
  const cpu: number[] = [];
  for (const question of syntheticQuestions(220)) {
    const used = process.cpuUsage();
    const startedAt = performance.now();
    await database.search(agentId, question, 6);
    const foundAt = performance.now();
    const { user, system } = process.cpuUsage(used);
    await database.readDirectly(agentId);
    searches.push(foundAt - startedAt);
    cpu.push((user + system) / 1_000);
    statements.push(performance.now() - foundAt);
  }
  const of = (values: readonly number[]) => quantile(values.slice(20), 0.95);
  return { ms: of(searches), cpuMs: of(cpu), bareMs: of(statements) };
}

function timeRow(name: string, { ms: value, cpuMs, bareMs }: Times, target: number): Row {
  return {
    figure: name,
    measured: `${ms(value)} (CPU ${ms(cpuMs)})`,
    baseline: `${ms(bareMs)} (50 rows by key)`,
    ratio: times(value / bareMs),
    target: `<= ${target} ms`,
    isMet: value <= target,
  };
}
