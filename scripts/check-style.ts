import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { type Node, parseSync, Visitor } from "oxc-parser";
import contract from "../packages/contract/package.json" with { type: "json" };

/** One source file. `path` is relative to the repository's root. */
export type Module = {
  path: string;
  lines: number;
  imports: Import[];
  hasRowOverlay: boolean;
  writesConversations: boolean;
};

/**
 * `file` is the path of the imported file when the specifier is relative, otherwise null. Type-only imports do not
 * exist at run time.
 */
type Import = { specifier: string; file: string | null; isTypeOnly: boolean };

const sources = "{packages/*/src,bench,e2e,test,scripts}/**/*.{ts,tsx}";

/** A safety net: a file below it is as long as its subject needs. */
const maxLines = 500;
const withoutMaxLines = /\.test\.tsx?$|\/(locales|migrations)\//;

const forbiddenPaths = [
  { pattern: /(^|\/)(utils|common)\//, reason: "name a folder after its contents" },
  { pattern: /(^|\/)types\.tsx?$/, reason: "put a type beside the code that creates it" },
  { pattern: /\/src\/.+\/index\.ts$/, reason: "only the entry file of a package may re-export" },
];

/** WebKit does not make a `tr` a containing block, so the overlay of any row would cover the whole page. */
const rowOverlayReason = "no inset-0 in a table row: use LinkTr, whose click follows the row's link";
const rowOverlay = /<(?:tr|Tr|LinkTr)\b(?:(?!<\/(?:tr|Tr|LinkTr)>)[\s\S])*?\binset-0\b/;

/** A change of a conversation must call the listeners and lock rows in one order, which only the log does. */
const conversationLog = "packages/server/src/conversations/log/";
const conversationWrite =
  /(?:\b(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*"|\bcompileInsert\b[^;]*?,\s*"|`\s*(?:insert into|update|delete from) "?)(?:conversations|messages)\b/i;
const conversationReason = `only ${conversationLog} writes the tables conversations and messages`;

/** The packages that a package may import; for those in `types`, only types. A closed package imports nothing else. */
type PackageRule = { values: string[]; types: string[]; isClosed?: true };
const packageRules: Record<string, PackageRule> = {
  contract: { values: ["typebox"], types: [], isClosed: true },
  server: { values: ["@foyer/contract"], types: [] },
  sdk: { values: [], types: ["@foyer/contract"] },
  widget: { values: ["@foyer/sdk", "@foyer/contract/rules"], types: ["@foyer/contract"] },
  // The dashboard uses the widget's own code to preview what visitors see, and to list messages without their Markdown.
  dashboard: {
    values: ["@foyer/sdk", "@foyer/contract/rules", "@foyer/widget/preview", "@foyer/widget/plain-line"],
    types: ["@foyer/contract"],
  },
};

/** The server's folders. A resource imports only resources to its left; a shared folder imports none. */
const resources =
  "auth plans providers trash agents tools documents conversations events triggers versions forms visitors chat evaluations inbox doctor setup pages".split(
    " ",
  );
const sharedFolders = [
  "agent-folders",
  "pools",
  "jobs",
  "http",
  "db",
  "models",
  "outbound",
  "outbox",
  "pictures",
  "telemetry",
];

/** Reports every violation of a rule of docs/architecture.md that the linter cannot check, one message each. */
export function findProblems(modules: Module[]): string[] {
  if (modules.length === 0) return ["no source files found: run this in the repository's root"];
  const code = modules.filter(({ path }) => !isTest(path));
  return [
    ...lengthProblems(modules),
    ...cycleProblems(code),
    ...threadProblems(code),
    ...code.flatMap(packageProblems),
    ...code.flatMap(serverProblems),
    ...modules.flatMap(({ path }) => pathProblems(path)),
    ...code.filter(isForeignWriter).map(({ path }) => `${path}: ${conversationReason}`),
    ...modules.filter(({ hasRowOverlay }) => hasRowOverlay).map(({ path }) => `${path}: ${rowOverlayReason}`),
  ];
}

/** @returns the file as the rules see it; a computed `import()` is not detected */
export function toModule(path: string, text: string): Module {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  return {
    path,
    lines,
    imports: parseImports(path, text),
    hasRowOverlay: path.endsWith(".tsx") && rowOverlay.test(text),
    writesConversations: conversationWrite.test(text),
  };
}

function parseImports(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);
  const imports: Import[] = [];
  const add = (source: Node | null, isTypeOnly: boolean) => {
    if (source?.type !== "Literal" || typeof source.value !== "string") return;
    const { value: specifier } = source;
    const file = specifier.startsWith(".") ? join(dirname(path), specifier) : null;
    imports.push({ specifier, file, isTypeOnly });
  };
  const visitor = new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source, importKind === "type"),
    ExportNamedDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ExportAllDeclaration: ({ source, exportKind }) => add(source, exportKind === "type"),
    ImportExpression: ({ source }) => add(source, false),
    TSImportType: ({ source }) => add(source, true),
  });
  visitor.visit(program);
  return imports;
}

function lengthProblems(modules: Module[]): string[] {
  const long = modules.filter(({ path, lines }) => lines > maxLines && !withoutMaxLines.test(path));
  return long.map(({ path, lines }) => `${path}: ${lines} lines, over ${maxLines}`);
}

/**
 * A thread (`*-thread.ts`) loads its own copy of each module. The contract's schemas take 0.14 s of CPU and 34 MB, so
 * threads may import only the contract's rules.
 */
function threadProblems(modules: Module[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const threads = modules.filter(({ path }) => path.endsWith("-thread.ts"));
  return threads.flatMap(({ path }) => {
    const loaded = new Set([path]);
    for (const file of loaded) {
      const { imports = [] } = byPath.get(file) ?? {};
      for (const { specifier, file: relative, isTypeOnly } of imports) {
        if (isTypeOnly) continue;
        if (specifier === "typebox" || specifier === "@foyer/contract")
          return [`${path}: the thread loads schemas of the contract, because ${file} imports ${specifier}`];
        const next = relative ?? contractFile(specifier);
        if (next) loaded.add(next);
      }
    }
    return [];
  });
}

/** The file of an import such as `@foyer/contract/rules/roles`; null for other packages. */
function contractFile(specifier: string): string | null {
  const [, rule = null] = /^@foyer\/contract\/(.+)$/.exec(specifier) ?? [];
  if (rule === null) return null;
  const exported = (contract.exports as Record<string, string>)[`./${rule}`] ?? `./src/${rule}.ts`;
  return join("packages/contract", exported);
}

/**
 * Biome refuses cycles of values. These checks include types: between files, and inside each folder of a package,
 * between its files and sub-folders. Without a cycle, all imports of a folder lead in one direction.
 */
function cycleProblems(modules: Module[]): string[] {
  const files = new Map<string, string[]>();
  for (const { path, imports } of modules)
    files.set(
      path,
      imports.flatMap(({ file }) => file ?? []),
    );
  const inFiles = findCycles(files).map((cycle) => `import cycle: ${cycle.join(" > ")}`);
  // A cycle of files is often also a cycle of folders, so report only the cycle of files.
  if (inFiles.length > 0) return inFiles;
  return [...groupByFolder(files)].flatMap(([folder, entries]) =>
    findCycles(entries).map((cycle) => `import cycle in ${folder}: ${cycle.join(" > ")}`),
  );
}

/** For each folder from a package's `src` down, what its files and sub-folders import from each other. */
function groupByFolder(files: ReadonlyMap<string, readonly string[]>): Map<string, Map<string, string[]>> {
  const folders = new Map<string, Map<string, string[]>>();
  for (const [path, imported] of files) {
    for (let folder = dirname(path); /^packages\/[^/]+\/src/.test(folder); folder = dirname(folder)) {
      const entries = folders.get(folder) ?? new Map<string, string[]>();
      folders.set(folder, entries);
      const entry = entryIn(folder, path);
      const others = imported
        .filter((file) => file.startsWith(`${folder}/`))
        .map((file) => entryIn(folder, file))
        .filter((other) => other !== entry);
      entries.set(entry, [...(entries.get(entry) ?? []), ...others]);
    }
  }
  return folders;
}

/** The file or sub-folder of `folder` that contains `path`. */
const entryIn = (folder: string, path: string) => path.slice(folder.length + 1).split("/", 1)[0] ?? "";

/** One cycle for each import that leads back to the start of a walk. The first element is repeated at the end. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const trail: string[] = [];
  const visited = new Set<string>();
  const visit = (node: string) => {
    const start = trail.indexOf(node);
    if (start !== -1) cycles.push([...trail.slice(start), node]);
    if (visited.has(node)) return;
    visited.add(node);
    trail.push(node);
    for (const next of new Set(graph.get(node))) visit(next);
    trail.pop();
  };
  for (const node of graph.keys()) visit(node);
  return cycles;
}

function packageProblems({ path, imports }: Module): string[] {
  const name = packageOf(path);
  if (name === null) return [];
  const rule = packageRules[name];
  if (!rule) return [`${path}: add what the package ${name} may import to this script`];
  const refused = imports.filter(({ specifier, file, isTypeOnly }) => {
    if (file !== null) return !file.startsWith(`packages/${name}/`);
    const allowed = isTypeOnly ? [...rule.values, ...rule.types] : rule.values;
    const isWatched = rule.isClosed || specifier.startsWith("@foyer/");
    return isWatched && !allowed.some((entry) => specifier === entry || specifier.startsWith(`${entry}/`));
  });
  return refused.map((i) => `${path}: ${name} must not import ${i.isTypeOnly ? "types" : "values"} of ${i.specifier}`);
}

function serverProblems({ path, imports }: Module): string[] {
  const folder = serverFolderOf(path);
  // Files directly in src compose the folders.
  if (folder === null) return [];
  if (![...resources, ...sharedFolders].includes(folder))
    return [`${path}: add the position of ${folder}/ to this script`];
  return imports.flatMap((imported) => {
    const refusal = imported.file === null ? null : findRefusal(folder, imported.file, imported.isTypeOnly);
    return refusal === null ? [] : [`${path}: must not import ${imported.specifier}: ${refusal}`];
  });
}

function findRefusal(folder: string, file: string, isTypeOnly: boolean): string | null {
  const target = serverFolderOf(file);
  if (target === null || target === folder) return null;
  if (resources.includes(target) && sharedFolders.includes(folder)) return `${folder}/ imports no resource`;
  if (resources.indexOf(target) > resources.indexOf(folder)) return `${target}/ is right of ${folder}/`;
  return /[-/]store\.ts$/.test(file) && !isTypeOnly ? "a store is called only in its own folder" : null;
}

function pathProblems(path: string): string[] {
  return forbiddenPaths.filter(({ pattern }) => pattern.test(path)).map(({ reason }) => `${path}: ${reason}`);
}

const isForeignWriter = ({ path, writesConversations }: Module) =>
  writesConversations &&
  serverFolderOf(path) !== null &&
  !path.startsWith(conversationLog) &&
  !path.includes("/migrations/");
const isTest = (path: string) => /\.test\.tsx?$/.test(path);
const packageOf = (path: string) => /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? null;
const serverFolderOf = (path: string) => /^packages\/server\/src\/([^/]+)\//.exec(path)?.[1] ?? null;

if (import.meta.main) {
  const modules = globSync(sources, { exclude: ["**/node_modules", "test/pages/sites"] })
    .sort()
    .map((path) => toModule(path, readFileSync(path, "utf8")));
  const problems = findProblems(modules);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`No problems in ${modules.length} files.`);
}
