import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { formatOfName } from "@foyer/contract/rules/document-formats";
import { declaredType } from "../../packages/server/src/documents/extract/declared-type.ts";
import { createExtractor } from "../../packages/server/src/documents/extract/extractor.ts";
import { type Comparison, compareTexts } from "./compare-texts.ts";
import { createReferenceReaders } from "./reference-readers.ts";
import { findFaults, type Marks, noMarks } from "./source-marks.ts";

/**
 * Reads every file of a folder with the server's extraction and with an independent program, and prints what the
 * extraction lost or invented: `npm run corpus -- <folder> [report.json]`. It needs poppler-utils, LibreOffice and pandoc.
 */
const [folder, report] = process.argv.slice(2);
if (!folder) throw new Error("Usage: npm run corpus -- <folder> [report.json]");

type Outcome = {
  file: string;
  format: string;
  ms: number;
  error: string | null;
  warnings: string[];
  comparison: Comparison | null;
  /** what is marked otherwise than in the source of the file */
  faults: Marks;
};

const extractor = createExtractor();
const references = createReferenceReaders();
const outcomes: Outcome[] = [];
for (const file of readdirSync(folder, { recursive: true }).map(String).sort()) {
  const format = formatOfName(file);
  if (format === null || !references.formats.includes(format)) continue;
  outcomes.push(await readBoth(join(folder, file), format));
}
extractor.close();
await references.close();
for (const [format, files] of Map.groupBy(outcomes, (outcome) => outcome.format)) summarize(format, files);
if (report) writeFileSync(report, JSON.stringify(outcomes, null, 1));

async function readBoth(file: string, format: NonNullable<ReturnType<typeof formatOfName>>): Promise<Outcome> {
  const started = performance.now();
  const { text, error, warnings } = await extract(file);
  const ms = performance.now() - started;
  const reference = await references.read(format, file);
  const comparison = reference === null ? null : compareTexts(text, reference);
  const faults = error === null ? findFaults(text, await references.marks(format, file)) : noMarks();
  return { file, format, ms, error, warnings, comparison, faults };
}

async function extract(file: string): Promise<{ text: string; error: string | null; warnings: string[] }> {
  const job = {
    kind: "file" as const,
    title: "Title",
    isUnnamed: false,
    isStartPage: false,
    isIndexed: true,
    declared: declaredType("", file),
  };
  try {
    const { texts, warnings } = await extractor.extract(
      { organizationId: extname(file) + file, signal: new AbortController().signal },
      { job, parts: [readFileSync(file)], onProgress: () => {} },
    );
    return {
      text: texts.map(({ text }) => text).join(""),
      error: null,
      warnings: warnings.map(({ message }) => message),
    };
  } catch (error) {
    return { text: "", error: error instanceof Error ? error.message : String(error), warnings: [] };
  }
}

function summarize(format: string, files: readonly Outcome[]): void {
  const compared = files.flatMap(({ comparison, ...rest }) =>
    comparison && comparison.words >= 5 && rest.error === null ? [{ ...rest, ...comparison }] : [],
  );
  const recalls = compared.map(({ recall }) => recall).sort((a, b) => a - b);
  const percent = (share: number | undefined) => (share === undefined ? "-" : `${(share * 100).toFixed(1)} %`);
  const low = compared.filter(({ recall }) => recall < 0.97);
  const facts = [
    `${files.length} files`,
    `${files.filter(({ error }) => error !== null).length} refused`,
    `${files.filter(({ error, comparison }) => error !== null && (comparison?.words ?? 0) >= 5).length} of them with text`,
    `${compared.length} compared`,
    `median recall ${percent(recalls[Math.floor(recalls.length / 2)])}`,
    `at least 97 % in ${percent(1 - low.length / Math.max(1, compared.length))}`,
    `${low.filter(({ warnings }) => warnings.length === 0).length} below 97 % without a warning`,
    `${compared.filter(({ figures }) => figures.length > 0).length} with invented figures`,
  ];
  console.log(`${format}: ${facts.join(", ")}`);
  for (const kind of ["notes", "strikes", "equations", "charts", "ticks"] as const) {
    const faulty = files.filter(({ faults }) => faults[kind].length > 0);
    if (faulty.length > 0) console.log(`  ${faulty.length} with other ${kind}`);
    for (const { file, faults } of faulty.slice(0, 4))
      console.log(`    ${file}: ${faults[kind].slice(0, 3).join(" | ")}`);
  }
  for (const { file, figures } of compared.filter(({ figures }) => figures.length > 0).slice(0, 8)) {
    console.log(`  invented in ${file}: ${figures.slice(0, 8).join(" ")}`);
  }
  for (const { file, recall, missing } of low.sort((a, b) => a.recall - b.recall).slice(0, 8)) {
    console.log(`  ${percent(recall)} ${file}: ${missing.slice(0, 8).join(" ")}`);
  }
}
