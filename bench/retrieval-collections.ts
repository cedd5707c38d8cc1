import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Passage } from "../packages/server/src/documents/search/prepare-document.ts";

/** A folder in the format of BEIR: corpus.jsonl, queries.jsonl and qrels.tsv. */
export type Collection = {
  name: string;
  documents: Array<{ id: string; title: string; passages: Passage[] }>;
  /** `relevant` is null for a question without an answer in the collection */
  questions: Array<{ id: string; text: string; relevant: ReadonlyMap<string, number> | null }>;
};

/** All collections in a folder, by name. A `SOURCE.md` that mentions FAQ makes its documents FAQ entries. */
export function readCollections(folder: string): Collection[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "corpus.jsonl")));
  return names.sort().map((name) => readCollection(join(folder, name), name));
}

function readCollection(folder: string, name: string): Collection {
  const source = join(folder, "SOURCE.md");
  const isFaq = existsSync(source) && readFileSync(source, "utf8").includes("FAQ");
  const relevant = readRelevance(join(folder, "qrels.tsv"));
  const documents = readLines<{ _id: string; title?: string; text: string }>(join(folder, "corpus.jsonl"));
  const questions = readLines<{ _id: string; text: string }>(join(folder, "queries.jsonl"));
  return {
    name,
    documents: documents.map(({ _id: id, title = "", text }) => ({
      id,
      title,
      passages: toPassages(title, text, isFaq),
    })),
    questions: questions.map(({ _id: id, text }) => ({ id, text, relevant: relevant.get(id) ?? null })),
  };
}

/** FAQ entries without a title have one wording per line and no answer. */
function toPassages(title: string, text: string, isFaq: boolean): Passage[] {
  const rest = { heading: null, page: null };
  if (!isFaq) return [{ ordinal: 0, ...rest, text, part: "body" }];
  if (title === "")
    return text.split("\n").map((line, ordinal) => ({ ordinal, ...rest, text: line, part: "question" }));
  return [
    { ordinal: 0, ...rest, text: title, part: "question" },
    { ordinal: 1, ...rest, text, part: "body" },
  ];
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
}

function readRelevance(file: string): Map<string, Map<string, number>> {
  const relevant = new Map<string, Map<string, number>>();
  for (const line of readFileSync(file, "utf8").split("\n").slice(1)) {
    const [query, document, score] = line.trim().split("\t");
    if (!query || !document || !(Number(score) > 0)) continue;
    const judgments = relevant.get(query) ?? new Map<string, number>();
    relevant.set(query, judgments.set(document, Number(score)));
  }
  return relevant;
}
