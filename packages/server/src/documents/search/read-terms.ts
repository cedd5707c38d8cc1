import { stopWords } from "../../stop-words.ts";
import type { IndexConnection } from "./index-connection.ts";
import { BLOCK_CHUNKS } from "./postings.ts";
import {
  countInSegments,
  findInDocuments,
  readPostings,
  readTermsWithPrefixes,
  type Segment,
  type SegmentPostings,
} from "./read-index.ts";
import { findSimilarTerms, hasSimilarTerms, listTypoForms, PREFIX_LENGTH } from "./similar-terms.ts";
import { buildsCompounds, endingPrefix, listSplits } from "./spellings.ts";
import { foldMarks } from "./stemmers.ts";
import { type QueryTerm, termWeight } from "./word-scores.ts";

/**
 * The maximum number of postings that a search reads, four bytes each. The rarest terms come first, and at least one is
 * always read.
 */
const MAX_POSTINGS = 300_000;
/** Up to this number of chunks, all postings are read together. In larger indexes, they are counted first. */
const SMALL_INDEX = 20_000;
/** A number that exceeds the number of blocks of any term, and fits into PostgreSQL's 32-bit `integer`. */
const MAX_BLOCKS = 1_000_000;
/**
 * The maximum number of words of a question for which similar terms are searched. Each takes a scan of the terms with
 * its prefix.
 */
const MAX_UNKNOWN = 4;
/** The maximum number of terms of such a word for which misspelled beginnings are corrected. */
const MAX_MISSPELLED = 3;
/** The weight of a term that is only similar to the question's word. */
const SIMILAR_WEIGHT = 0.6;
/** The weight of another spelling, which is often found together with its parts. */
const SPELLING_WEIGHT = 0.6;
/** The weight of the parts of a word that is not in the index as a whole. */
const PART_WEIGHT = 0.9;
/** The weight of compounds of which a word is a part. */
const COMPOUND_WEIGHT = 0.5;
/** The weight of both when the words themselves are in the index. More made the ranking of prose worse. */
const KNOWN_WEIGHT = 0.05;
/** The maximum number of words of a question for which compounds are searched. */
const MAX_COMPOUND_PARTS = 12;
const MAX_COMPOUNDS = 40;
/** Shorter words are the beginnings or endings of many words that have nothing to do with them. */
const MIN_PART = { beginning: 5, ending: 3 };
/** The minimum number of letters that a compound has in addition, because inflections have fewer. */
const MIN_REST = 3;

type Index = {
  connection: IndexConnection;
  segments: readonly Segment[];
  all: number;
  languages: readonly string[];
};

/**
 * Sets the weights of the terms and reads the postings of the rarest ones. Adds the parts of unknown words, and the
 * compounds that contain a word, to `terms`.
 */
export async function readTerms(index: Index, terms: QueryTerm[]): Promise<SegmentPostings[]> {
  const lookup = await lookUp(index, termNames(terms));
  for (const term of terms) {
    term.chunks = countChunks(term, lookup.counts, index.all);
    const weight = termWeight(term.chunks, index.all);
    term.weight = term.spellingOf === null ? weight : SPELLING_WEIGHT * weight;
    term.ownWeight = term.spellingOf === null ? weight : 0;
  }
  const spelled = new Set(terms.flatMap(({ chunks, spellingOf }) => (chunks > 0 ? (spellingOf ?? []) : [])));
  const words = terms.filter(({ spellingOf }) => spellingOf === null);
  const missing = words.filter(({ chunks }) => chunks === 0);
  for (const term of missing) if (spelled.has(term.surface)) term.ownWeight = 0;
  const missingWords = new Set(missing.map(({ surface }) => surface));
  const weights = new Map(words.map(({ surface, chunks, weight }) => [surface, chunks > 0 ? weight : 0]));
  for (const term of terms) {
    if (term.spellingOf === null || term.spellingOf.length === 0) continue;
    // A code or number without separators is exact, and its parts occur everywhere.
    if (/\d/.test(term.surface)) term.weight = termWeight(term.chunks, index.all);
    else if (term.spellingOf.every((part) => !missingWords.has(part)))
      term.weight = KNOWN_WEIGHT * termWeight(term.chunks, index.all);
    // A passage with `preorder` has all of `pre-order`, and one with `order` only a part of it.
    else term.weight += term.spellingOf.reduce((sum, part) => sum + (weights.get(part) ?? 0), 0);
  }
  const unknown = missing.filter(({ surface }) => !spelled.has(surface));
  // Where compounds are two words, an unknown word is rather an inflection of another than a compound.
  const isCompounding = buildsCompounds(index.languages);
  const inflected = isCompounding ? [] : await replaceBySimilar(index, unknown);
  const others = unknown.filter((term) => !inflected.includes(term)).slice(0, MAX_UNKNOWN);
  const found = [...(await splitUnknown(index, others)), ...(await findCompounds(index, words))];
  terms.push(...found);
  const resolved = new Set(found.flatMap(({ spellingOf }) => spellingOf ?? []));
  const replaced = isCompounding
    ? await replaceBySimilar(
        index,
        unknown.filter(({ surface }) => !resolved.has(surface)),
      )
    : inflected;
  const similarLookup = await lookUp(
    index,
    termNames([...replaced, ...found]).filter((name) => !lookup.names.has(name)),
  );
  const counts = new Map([...lookup.counts, ...similarLookup.counts]);
  for (const term of replaced) {
    term.chunks = countChunks(term, counts, index.all);
    term.weight = SIMILAR_WEIGHT * termWeight(term.chunks, index.all);
  }
  for (const term of found) {
    term.chunks = countChunks(term, counts, index.all);
    term.weight *= termWeight(term.chunks, index.all);
    term.ownWeight *= termWeight(term.chunks, index.all);
  }
  if (index.all <= SMALL_INDEX) return [...lookup.postings, ...similarLookup.postings];

  const chosen = new Set(termNames(limitTerms(terms)));
  const merged = await readPostings(index.connection, {
    segmentIds: mergedIds(index.segments),
    terms: [...chosen],
    // Only a single word can exceed the limit. In that case, only the oldest blocks of every segment are read.
    blocks: Math.max(1, Math.ceil(MAX_POSTINGS / BLOCK_CHUNKS)),
  });
  return [...findInDocuments(index.segments, [...chosen]), ...merged];
}

const termNames = (terms: readonly QueryTerm[]) => [...new Set(terms.flatMap((term) => term.terms))];
const mergedIds = (segments: readonly Segment[]) => segments.filter(({ level }) => level > 0).map(({ id }) => id);

function countChunks({ terms }: QueryTerm, counts: ReadonlyMap<string, number>, all: number) {
  return Math.min(
    all,
    terms.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
  );
}

/** Counts the chunks that contain each term. In a small index, also reads the postings. */
async function lookUp({ connection, segments, all }: Index, names: readonly string[]) {
  const isSmall = all <= SMALL_INDEX;
  const segmentIds = mergedIds(segments);
  const inDocuments = findInDocuments(segments, names);
  const inSegments = isSmall ? await readPostings(connection, { segmentIds, terms: names, blocks: MAX_BLOCKS }) : [];
  const counted = isSmall ? inSegments : await countInSegments(connection, segmentIds, names);
  const counts = new Map<string, number>();
  for (const { term, chunks } of [...inDocuments, ...counted]) counts.set(term, (counts.get(term) ?? 0) + chunks);
  return { names: new Set(names), counts, postings: [...inDocuments, ...inSegments] };
}

/**
 * Splits words that are not in the index into two that are. Of several splits, the one whose parts are the most
 * frequent is likely the right one.
 * @returns the parts, with the weights by which the weights of the words are to be multiplied
 */
async function splitUnknown(index: Index, unknown: readonly QueryTerm[]): Promise<QueryTerm[]> {
  const splits = unknown.flatMap((term) =>
    listSplits(term.surface, index.languages).map(({ parts }) => ({ term, parts })),
  );
  if (splits.length === 0) return [];
  const { counts } = await lookUp(index, [...new Set(splits.flatMap(({ parts }) => parts.flat()))]);
  const frequency = (names: readonly string[]) => Math.max(0, ...names.map((name) => counts.get(name) ?? 0));
  return unknown.flatMap((term) => {
    let best: { parts: readonly string[][]; chunks: number } | null = null;
    for (const { parts } of splits.filter((split) => split.term === term)) {
      const chunks = Math.min(...parts.map(frequency));
      if (chunks > (best?.chunks ?? 0)) best = { parts, chunks };
    }
    if (best === null) return [];
    term.ownWeight = 0;
    return best.parts.map((names) => addition(term, names, { weight: PART_WEIGHT, ownWeight: 1 }));
  });
}

/** Finds compounds that begin or end with a word, in languages that write compounds as one word. */
async function findCompounds({ connection, segments, languages }: Index, words: readonly QueryTerm[]) {
  if (!buildsCompounds(languages)) return [];
  const parts = words
    .filter(({ surface }) => /^\p{L}{3,}$/u.test(surface) && !stopWords.has(foldMarks(surface)))
    .slice(0, MAX_COMPOUND_PARTS);
  const prefixesOf = ({ terms }: QueryTerm) => [
    ...terms.filter((name) => name.length >= MIN_PART.beginning),
    ...terms.filter((name) => name.length >= MIN_PART.ending).map(endingPrefix),
  ];
  const prefixes = [...new Set(parts.flatMap(prefixesOf))];
  if (prefixes.length === 0) return [];
  const indexed = [...(await readTermsWithPrefixes(connection, segments, prefixes))];
  return parts.flatMap((term) => {
    const own = prefixesOf(term);
    const compounds = indexed.filter((name) =>
      own.some((prefix) => name.length >= prefix.length + MIN_REST && name.startsWith(prefix)),
    );
    if (compounds.length === 0 || compounds.length > MAX_COMPOUNDS) return [];
    return [addition(term, compounds, { weight: term.chunks > 0 ? KNOWN_WEIGHT : COMPOUND_WEIGHT, ownWeight: 0 })];
  });
}

function addition(term: QueryTerm, terms: string[], weights: Pick<QueryTerm, "weight" | "ownWeight">): QueryTerm {
  return { surface: term.surface, terms, chunks: 0, ...weights, spellingOf: [term.surface] };
}

/** Replaces the terms of unknown words with similar ones of the index. @returns the words with similar terms */
async function replaceBySimilar(index: Index, words: readonly QueryTerm[]): Promise<QueryTerm[]> {
  const unknown = words.filter(({ surface }) => hasSimilarTerms(surface)).slice(0, MAX_UNKNOWN);
  const prefixes = new Set(termNames(unknown).map((name) => name.slice(0, PREFIX_LENGTH)));
  if (prefixes.size === 0) return [];
  const indexed = [...(await readTermsWithPrefixes(index.connection, index.segments, [...prefixes]))];
  const replace = (term: QueryTerm, candidatesFor: (name: string) => readonly string[]) => {
    const found = term.terms.flatMap((name) => findSimilarTerms(name, candidatesFor(name), term.surface));
    if (found.length > 0) term.terms = [...new Set(found)];
    return found.length > 0;
  };
  const byBeginning = unknown.filter((term) =>
    replace(term, (name) => indexed.filter((other) => other.startsWith(name.slice(0, PREFIX_LENGTH)))),
  );
  // Only for the others, because looking these forms up takes as long as the rest of a search in a small index.
  const rest = unknown.filter((term) => !byBeginning.includes(term) && /^\p{L}+$/u.test(term.surface));
  const names = new Set(rest.flatMap(({ terms }) => terms.slice(0, MAX_MISSPELLED)));
  const forms = new Map([...names].map((name) => [name, listTypoForms(name)]));
  const { counts } = await lookUp(index, [...new Set([...forms.values()].flat())]);
  const corrected = rest.filter((term) =>
    replace(term, (name) => (forms.get(name) ?? []).filter((form) => counts.has(form))),
  );
  return [...byBeginning, ...corrected];
}

function limitTerms(terms: readonly QueryTerm[]): QueryTerm[] {
  const byRarity = terms.filter(({ chunks }) => chunks > 0).sort((a, b) => a.chunks - b.chunks);
  let sum = 0;
  return byRarity.filter(({ chunks }, index) => {
    sum += chunks;
    return index === 0 || sum <= MAX_POSTINGS;
  });
}
