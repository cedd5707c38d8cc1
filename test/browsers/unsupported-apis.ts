import compatData from "@mdn/browser-compat-data" with { type: "json" };
import type { CompatStatement, Identifier, SimpleSupportStatement } from "@mdn/browser-compat-data";
import { parseAst } from "vite";
import type { BrowserVersions } from "../../scripts/build-targets.ts";

type Node = { type: string; [key: string]: unknown };

/** Phones are included: on iOS, every browser uses Safari's engine. */
const engines = [
  ["chrome", "chrome"],
  ["chrome", "chrome_android"],
  ["firefox", "firefox"],
  ["safari", "safari"],
  ["safari", "safari_ios"],
] as const;

const globalObjects = ["globalThis", "window", "self"];

const { builtins } = compatData.javascript as unknown as { builtins: Identifier };
const { api } = compatData as unknown as { api: Identifier };

/**
 * Lists the browser APIs in JavaScript that a browser of these versions lacks, according to MDN's data. A build only
 * converts syntax, so a missing API would fail at run time.
 *
 * Globals and their static members are found exactly. The type of other objects is unknown, so a method is listed when
 * every common interface with a method of this name got it too late.
 *
 * @returns names such as `URL.canParse` or `.findLast()`, sorted, each once
 */
export function findUnsupportedApis(code: string, versions: BrowserVersions): string[] {
  const found = new Set<string>();
  const report = (name: string, statements: CompatStatement[]) => {
    if (statements.length > 0 && !statements.some((statement) => isSupported(statement, versions))) found.add(name);
  };
  visit(parseAst(code) as unknown as Node, (node) => {
    const callee = node.callee as Node | undefined;
    if (callee?.type === "Identifier") report(String(callee.name), globalStatements(String(callee.name)));
    if (node.type !== "MemberExpression" || node.computed) return;
    const [object, name] = [node.object as Node, String((node.property as Node).name)];
    if (object.type === "Identifier" && globalObjects.includes(String(object.name))) {
      report(name, globalStatements(name));
    } else if (object.type === "Identifier" && isGlobal(String(object.name))) {
      report(`${object.name}.${name}`, staticStatements(String(object.name), name));
    }
  });
  visit(parseAst(code) as unknown as Node, ({ callee }) => {
    const { type, object, property, computed } = (callee ?? {}) as Node;
    if (type !== "MemberExpression" || computed) return;
    if ((object as Node).type === "Identifier" && isGlobal(String((object as Node).name))) return;
    const name = String((property as Node).name);
    report(`.${name}()`, methodStatements(name));
  });
  return [...found].sort();
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) visit(child as Node, see);
    }
  }
}

const isGlobal = (name: string) =>
  /^[A-Z]\w\w/.test(name) && (Object.hasOwn(builtins, name) || Object.hasOwn(api, name));

const compatOf = (group: Identifier | undefined, name: string): CompatStatement[] => {
  const entry = group && Object.hasOwn(group, name) ? group[name] : undefined;
  return entry?.__compat ? [entry.__compat] : [];
};

const globalStatements = (name: string) => [
  ...compatOf(builtins, name),
  ...compatOf(api, name),
  ...compatOf(api.Window, name),
];

const staticStatements = (name: string, member: string) => [
  ...compatOf(builtins[name], member),
  ...compatOf(api[name], `${member}_static`),
];

/** The methods of iterators and of rarer interfaces have names that are common in other code, such as `take`. */
const commonInterfaces = [
  ...["Array", "String", "Object", "Map", "Set", "Promise", "RegExp", "Date"].map((name) => builtins[name]),
  ...["Element", "HTMLElement", "Document", "DocumentFragment", "Node"].map((name) => api[name]),
];

const methodStatements = (name: string) => commonInterfaces.flatMap((group) => compatOf(group, name));

function isSupported({ support }: CompatStatement, versions: BrowserVersions): boolean {
  return engines.every(([target, engine]) =>
    [support[engine] ?? []].flat().some((statement) => isSince(statement, versions[target])),
  );
}

function isSince(
  { version_added, version_removed, flags, prefix, alternative_name }: SimpleSupportStatement,
  version: number,
) {
  if (flags || prefix || alternative_name) return false;
  return parseVersion(version_added) <= version && parseVersion(version_removed) > version;
}

/** `false`, `"preview"` and a missing version mean that no released version has it. */
function parseVersion(version: SimpleSupportStatement["version_added" | "version_removed"]): number {
  return (typeof version === "string" && Number.parseFloat(version.replace("≤", ""))) || Number.POSITIVE_INFINITY;
}
