import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textPatterns } from "@foyer/contract/rules/text-patterns";
import { FileError, readText, readYaml, toYaml, updateYaml, type YamlFile } from "./yaml-file.ts";

/** An agent as `GET /agents/:id/export` returns it, as far as folders know it. */
export type AgentText = { format: string; agent: Record<string, unknown> } & Partial<
  Record<ListName, Array<Record<string, unknown>>>
>;

const listNames = ["tools", "triggers", "tests"] as const;
type ListName = (typeof listNames)[number];

/** `locate` returns the file and line of a field by its path in the agent's text, such as `tools.0.description`. */
export type AgentFolder = {
  slug: string;
  text: AgentText;
  locate(path: string): { file: string; line: number };
};

/** The names of the agents in a folder: its subfolders with an `agent.yaml`. */
export function listSlugs(folder: string): string[] {
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(findMain(join(folder, entry.name))))
    .map(({ name }) => name)
    .toSorted();
}

/** The ids of the agents in a folder, by the names of their subfolders. @throws FileError for a copied id */
export function listIds(folder: string): Map<string, string> {
  const ids = new Map<string, string>();
  for (const slug of listSlugs(folder)) {
    const main = readYaml(findMain(join(folder, slug)));
    const { id } = main.value;
    if (typeof id !== "string") continue;
    const other = [...ids].find(([, known]) => known === id)?.[0];
    if (other !== undefined) {
      const problem = `id: is the id of ${other}. Remove it from a copied folder to create another agent`;
      throw new FileError(main.path, main.lineOf(["id"]), problem);
    }
    ids.set(slug, id);
  }
  return ids;
}

/** @throws FileError */
export function readAgentFolder(folder: string, slug: string): AgentFolder {
  const place = join(folder, slug);
  const main = readYaml(findMain(place));
  const { format, slug: ownSlug = slug, ...settings } = main.value;
  if (ownSlug !== slug) {
    const line = main.lineOf(["slug"]);
    throw new FileError(main.path, line, `slug: must be ${slug}, the name of the folder`);
  }
  if ("systemPrompt" in settings) {
    throw new FileError(main.path, main.lineOf(["systemPrompt"]), "systemPrompt: belongs into prompt.md");
  }
  const prompt = join(place, "prompt.md");
  // An editor ends the last line with a line break, which is not a part of the instructions.
  const systemPrompt = existsSync(prompt) ? readText(prompt).replace(/\n$/, "") : undefined;
  const lists = Object.fromEntries(listNames.map((name) => [name, readList(join(place, name))]));
  // What a folder lacks keeps its state on the server: a checkout can be incomplete.
  const given = listNames.filter((name) => lists[name] !== undefined);
  return {
    slug,
    text: {
      format: String(format),
      agent: { ...settings, slug, ...(systemPrompt === undefined ? {} : { systemPrompt }) },
      ...Object.fromEntries(given.map((name) => [name, (lists[name] ?? []).map(({ value }) => value)])),
    },
    locate(path) {
      const [part = "", ...field] = path.split(".");
      const [index = "", ...rest] = field;
      const file = lists[part]?.[Number(index)];
      if (file) return { file: file.path, line: file.lineOf(rest) };
      if (part === "agent" && index === "systemPrompt") return { file: prompt, line: 1 };
      return { file: main.path, line: main.lineOf(part === "agent" ? field : [part]) };
    },
  };
}

/** `kept` are the files of things that the server does not have, which may not have been applied yet. */
export type Written = { changed: string[]; kept: string[] };

/**
 * Writes an agent as files. Comments and the order of fields stay in the files that exist. The folder of an agent that
 * was renamed moves. With `prune`, files of what the server does not have are deleted.
 */
export function writeAgentFolder(
  folder: string,
  { format, agent, ...lists }: AgentText,
  { prune }: { prune: boolean },
): Written {
  const { id, slug, systemPrompt, ...settings } = agent;
  if (typeof slug !== "string" || !new RegExp(textPatterns.slug).test(slug)) {
    throw new Error(`The server sent an agent without a valid slug: ${String(slug)}.`);
  }
  const place = join(folder, slug);
  const former = existsSync(folder) ? [...listIds(folder)].find(([, known]) => known === id)?.[0] : undefined;
  if (former !== undefined && former !== slug && !existsSync(place)) renameSync(join(folder, former), place);
  mkdirSync(place, { recursive: true });
  const changed = [writeYaml(findMain(place), { format, slug, id, ...settings })];
  const kept: string[] = [];
  const drop = (path: string) => (prune ? changed.push(remove(path)) : kept.push(path));
  const prompt = join(place, "prompt.md");
  if (typeof systemPrompt === "string") changed.push(writeText(prompt, `${systemPrompt}\n`));
  else if (existsSync(prompt) && readText(prompt).trim() !== "") drop(prompt);
  for (const name of listNames) {
    const place = join(folder, slug, name);
    const { written, unknown } = writeList(place, lists[name] ?? []);
    changed.push(...written);
    for (const path of unknown) drop(path);
  }
  return { changed: changed.filter((path) => path !== null), kept };
}

/** `agent.yaml`, or the file of another spelling that exists. */
function findMain(place: string): string {
  const yml = join(place, "agent.yml");
  return !existsSync(join(place, "agent.yaml")) && existsSync(yml) ? yml : join(place, "agent.yaml");
}

/** Undefined when there is no such folder. @throws FileError for a file that would be ignored without a word */
function readList(folder: string): YamlFile[] | undefined {
  if (!existsSync(folder)) return undefined;
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !name.startsWith("."));
  for (const entry of entries) {
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) continue;
    throw new FileError(join(folder, entry.name), 1, "must be a file whose name ends with .yaml, or be elsewhere");
  }
  return entries.map(({ name }) => readYaml(join(folder, name))).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function writeList(folder: string, items: ReadonlyArray<Record<string, unknown>>) {
  const files = new Map((readList(folder) ?? []).map(({ path, value }) => [String(value.name), path]));
  const names = new Set(items.map(({ name }) => String(name)));
  const unknown = [...files].filter(([name]) => !names.has(name)).map(([, path]) => path);
  if (items.length > 0) mkdirSync(folder, { recursive: true });
  const taken = new Set(files.values());
  const written = items.map((item) => {
    const path = files.get(String(item.name)) ?? findFreePath(folder, String(item.name), taken);
    taken.add(path);
    return writeYaml(path, item);
  });
  return { written, unknown };
}

/** A path for what has this name: `Greet on pricing` is in `greet-on-pricing.yaml`. */
function findFreePath(folder: string, name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-");
  const base = plain.replace(/^-+|-+$/g, "").slice(0, 60) || "unnamed";
  for (let n = 1; ; n++) {
    const path = join(folder, n === 1 ? `${base}.yaml` : `${base}-${n}.yaml`);
    if (!taken.has(path)) return path;
  }
}

function writeYaml(path: string, value: Record<string, unknown>): string | null {
  return writeText(path, existsSync(path) ? updateYaml(path, value) : toYaml(value));
}

/** @returns the path if the file changes */
function writeText(path: string, text: string): string | null {
  if (existsSync(path) && readText(path) === text) return null;
  writeFileSync(path, text);
  return path;
}

function remove(path: string): string | null {
  if (!existsSync(path)) return null;
  rmSync(path);
  return path;
}
