import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, "agent.yaml")))
    .map(({ name }) => name)
    .toSorted();
}

/** @throws FileError */
export function readAgentFolder(folder: string, slug: string): AgentFolder {
  const place = join(folder, slug);
  const main = readYaml(join(place, "agent.yaml"));
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
  const systemPrompt = existsSync(prompt) ? readText(prompt).replace(/\n$/, "") : null;
  const lists = Object.fromEntries(listNames.map((name) => [name, readList(join(place, name))]));
  return {
    slug,
    text: {
      format: String(format),
      agent: { ...settings, slug, systemPrompt },
      ...Object.fromEntries(listNames.map((name) => [name, (lists[name] ?? []).map(({ value }) => value)])),
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

/** Writes an agent as files. Comments and the order of fields stay in the files that exist. @returns what changed */
export function writeAgentFolder(folder: string, { format, agent, ...lists }: AgentText): string[] {
  const { slug, systemPrompt, ...settings } = agent;
  if (typeof slug !== "string" || !new RegExp(textPatterns.slug).test(slug)) {
    throw new Error(`The server sent an agent without a valid slug: ${String(slug)}.`);
  }
  const place = join(folder, slug);
  mkdirSync(place, { recursive: true });
  const changed = [writeYaml(join(place, "agent.yaml"), { format, slug, ...settings })];
  const prompt = join(place, "prompt.md");
  if (typeof systemPrompt === "string") changed.push(writeText(prompt, `${systemPrompt}\n`));
  else changed.push(remove(prompt));
  for (const name of listNames) changed.push(...writeList(join(place, name), lists[name] ?? []));
  return changed.filter((path) => path !== null);
}

function readList(folder: string): YamlFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return names.toSorted().map((name) => readYaml(join(folder, name)));
}

function writeList(folder: string, items: ReadonlyArray<Record<string, unknown>>): Array<string | null> {
  const files = new Map(readList(folder).map(({ path, value }) => [String(value.name), path]));
  const names = new Set(items.map(({ name }) => String(name)));
  const removed = [...files].filter(([name]) => !names.has(name)).map(([, path]) => remove(path));
  if (items.length > 0) mkdirSync(folder, { recursive: true });
  const taken = new Set([...files.values()].filter((path) => existsSync(path)));
  const written = items.map((item) => {
    const path = files.get(String(item.name)) ?? findFreePath(folder, String(item.name), taken);
    taken.add(path);
    return writeYaml(path, item);
  });
  return [...removed, ...written];
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
