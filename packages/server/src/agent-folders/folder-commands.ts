import { writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { AgentTestRun, AppliedAgents, ErrorDetail } from "@foyer/contract";
import { createManagementClient, type ManagementClient } from "../outbound/management-client.ts";
import {
  type AgentFolder,
  type AgentText,
  listIds,
  listSlugs,
  readAgentFolder,
  writeAgentFolder,
} from "./agent-folder.ts";
import { describeFailure, type TestReport, toJunit } from "./junit.ts";

export const folderUsage = `  pull <folder> [--agent slug …] [--prune]                            write agents of a server as files
  plan <folder> [--agent slug …] [--prune]                            show what apply would change; exit code 2 if anything
  apply <folder> [--agent slug …] [--prune]                           give the server's agents the state of the files;
                                                                      exit code 3 if the server lacks a secret or an image
  publish <folder> [--agent slug …] [--note text]                     publish the drafts of these agents
  test <folder> [--agent slug …] [--repeat n] [--junit file.xml]      run the tests of these agents with their drafts
                                                                      these five: --url and --key, or FOYER_URL and FOYER_KEY`;

const POLL_MS = 2_000;
/** Together about a minute in which the server does not answer. */
const MAX_POLL_FAILURES = 30;

type Outcome = { output: string; exitCode: number };
type Options = {
  folder: string;
  agents: readonly string[];
  prune: boolean;
  note: string | undefined;
  repeat: number;
  junit: string | undefined;
};

const commands: Record<string, (client: ManagementClient, options: Options) => Promise<Outcome>> = {
  pull,
  plan: (client, options) => applyFolders(client, options, { dryRun: true }),
  apply: (client, options) => applyFolders(client, options, { dryRun: false }),
  publish,
  test,
};

/** Whether the arguments call a command that works with a folder and a server, and no database. */
export const isFolderCommand = ([name = ""]: readonly string[]): boolean => Object.hasOwn(commands, name);

/** Runs a command and prints its result, or the error with exit code 1. */
export async function runFolderCommandLine(args: string[]): Promise<void> {
  if (args[0] === "help" || args.some((arg) => arg === "--help" || arg === "-h")) return console.log(folderUsage);
  try {
    const { output, exitCode } = await runFolderCommand(args, process.env);
    console.log(output);
    process.exitCode = exitCode;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** @returns what the command prints, and its exit code. @throws an Error whose message is for the operator */
export async function runFolderCommand(args: string[], environment: NodeJS.ProcessEnv): Promise<Outcome> {
  const { values, positionals } = parse(args);
  const [name = "", folder, ...others] = positionals;
  const command = commands[name];
  if (!command || folder === undefined || others.length > 0) throw new Error(folderUsage);
  const url = values.url ?? environment.FOYER_URL;
  const key = values.key ?? environment.FOYER_KEY;
  if (!url) throw new Error("Missing: the address of the server. Pass --url or set FOYER_URL.");
  if (!key) throw new Error("Missing: an API key of the server. Pass --key or set FOYER_KEY.");
  const { prune = false, note, junit, agent: agents = [] } = values;
  const repeat = Number(values.repeat ?? 1);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error("--repeat takes a number of runs.");
  return command(createManagementClient(url, key), { folder, agents, prune, note, repeat, junit });
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    agent: { type: "string", multiple: true } as const,
    prune: { type: "boolean" } as const,
    url: text,
    key: text,
    note: text,
    repeat: text,
    junit: text,
  };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${folderUsage}`);
  }
}

async function pull(client: ManagementClient, { folder, agents, prune }: Options): Promise<Outcome> {
  const listed = await listAgents(client);
  const chosen = choose(
    listed.map(({ slug }) => slug),
    agents,
    "The server",
  );
  const lines = [];
  for (const { id, slug } of listed.filter((agent) => chosen.includes(agent.slug))) {
    const file = await request<AgentText>(client, "GET", `/agents/${id}/export`);
    const { changed, kept } = writeAgentFolder(folder, { ...file, agent: { ...file.agent, id } }, { prune });
    lines.push(`${slug}: ${changed.length === 0 ? "unchanged" : count(changed.length, "file")}`);
    lines.push(
      ...kept.map((path) => `kept ${path}: the server has nothing like it. Apply it, or delete it with --prune.`),
    );
  }
  return { output: lines.join("\n") || "The server has no agents.", exitCode: 0 };
}

/** Sends all folders in one request, so that either all of them are applied or none. */
async function applyFolders(
  client: ManagementClient,
  { folder, agents, prune }: Options,
  { dryRun }: { dryRun: boolean },
): Promise<Outcome> {
  listIds(folder);
  const folders = chooseFolders(folder, agents).map((slug) => readAgentFolder(folder, slug));
  const query = `?dryRun=${dryRun}&prune=${prune}`;
  const { status, body } = await client.call("POST", `/agents/apply${query}`, {
    agents: folders.map(({ text }) => text),
  });
  if (status !== 200) throw new Error(describeError(body, folders));
  const { changes, missingSecrets, missingImages } = (body as { data: AppliedAgents }).data;
  const lines = [
    ...changes.map(describeChange),
    ...missingSecrets.map((name) => `The server has no secret ${name}.`),
    ...missingImages.map(({ path, message }) => `${locate(path, folders)}: ${message}.`),
    count(changes.length, "change"),
  ];
  if (dryRun) return { output: lines.join("\n"), exitCode: changes.length > 0 ? 2 : 0 };
  const isComplete = missingSecrets.length + missingImages.length === 0;
  return { output: lines.join("\n"), exitCode: isComplete ? 0 : 3 };
}

async function publish(client: ManagementClient, { folder, agents, note }: Options): Promise<Outcome> {
  const listed = await listAgents(client);
  const lines = [];
  for (const slug of chooseFolders(folder, agents)) {
    const id = findId(listed, folder, slug);
    const { status, body } = await publishOnce(client, id, note);
    if (status !== 200 && status !== 201) throw new Error(`${slug}: ${describeError(body, [])}`);
    const { version } = (body as { data: { version: number } }).data;
    lines.push(`${slug}: version ${version} ${status === 201 ? "is live" : "was live already"}`);
  }
  return { output: lines.join("\n"), exitCode: 0 };
}

/** The server runs required tests in the background, and asks to publish again while they run. */
async function publishOnce(client: ManagementClient, id: string, note: string | undefined) {
  for (;;) {
    const answer = await client.call("POST", `/agents/${id}/publish`, note === undefined ? {} : { note });
    if (codeOf(answer.body) !== "TESTS_RUNNING") return answer;
    await wait(POLL_MS);
  }
}

const codeOf = (body: unknown): string | undefined => (body as { error?: { code?: string } | null }).error?.code;

async function test(client: ManagementClient, { folder, agents, repeat, junit }: Options): Promise<Outcome> {
  const listed = await listAgents(client);
  const reports: TestReport[] = [];
  const problems: string[] = [];
  for (const slug of chooseFolders(folder, agents)) {
    const path = `/agents/${findId(listed, folder, slug)}/tests`;
    const begun = await request<AgentTestRun>(client, "POST", `${path}/run`, { version: "draft", repeat, wait: false });
    const { results, status, problem } = await waitForRun(client, path, begun);
    reports.push({ slug, results });
    if (status === "stopped") problems.push(`${slug}: the run has stopped. ${problem ?? ""}`);
  }
  if (junit !== undefined) writeFileSync(junit, toJunit(reports));
  const failed = reports.flatMap(({ results }) => results).filter(({ passed }) => !passed).length;
  const lines = reports.flatMap(({ slug, results }) =>
    results.flatMap(({ name, passed, passes, runs, failures }) => [
      `${passed ? "passed" : "FAILED"}  ${slug}: ${name} (${passes} of ${runs})`,
      ...failures.map((failure) => `        ${describeFailure(failure)}`),
    ]),
  );
  const output = [...lines, ...problems, count(failed, "failed test")].join("\n");
  return { output, exitCode: failed + problems.length > 0 ? 1 : 0 };
}

/** Reads the run until it has ended. It continues while the server restarts or a proxy does not respond. */
async function waitForRun(client: ManagementClient, path: string, begun: AgentTestRun): Promise<AgentTestRun> {
  let run = begun;
  for (let failures = 0; run.status === "running"; ) {
    await wait(POLL_MS);
    try {
      run = await request<AgentTestRun>(client, "GET", `${path}/runs/${begun.id}`);
      failures = 0;
    } catch (error) {
      if (++failures === MAX_POLL_FAILURES) throw error;
    }
  }
  return run;
}

type Listed = { id: string; slug: string };

function listAgents(client: ManagementClient): Promise<Listed[]> {
  return request<Listed[]>(client, "GET", "/agents");
}

/** By the id in the folder, which stays when the agent is renamed, or by the slug on another server. */
function findId(listed: readonly Listed[], folder: string, slug: string): string {
  const id = listIds(folder).get(slug);
  const agent = listed.find((candidate) => candidate.id === id) ?? listed.find((candidate) => candidate.slug === slug);
  if (!agent) throw new Error(`The server has no agent ${slug}. Apply the folder first.`);
  return agent.id;
}

function chooseFolders(folder: string, agents: readonly string[]): string[] {
  const slugs = choose(listSlugs(folder), agents, folder);
  if (slugs.length === 0) throw new Error(`${folder} has no subfolder with an agent.yaml.`);
  return slugs;
}

/** @throws when one of the agents that were asked for is not there */
function choose(slugs: readonly string[], agents: readonly string[], place: string): string[] {
  const unknown = agents.find((slug) => !slugs.includes(slug));
  if (unknown !== undefined) throw new Error(`${place} has no agent ${unknown}.`);
  return slugs.filter((slug) => agents.length === 0 || agents.includes(slug));
}

async function request<T>(
  client: ManagementClient,
  method: "GET" | "POST",
  ...[path, sent]: [path: string, sent?: unknown]
): Promise<T> {
  const { status, body } = await client.call(method, path, sent);
  if (status !== 200 && status !== 202) throw new Error(describeError(body, []));
  return (body as { data: T }).data;
}

const signs = { create: "+", change: "~", remove: "-" } as const;

function describeChange({ agent, action, kind, name, fields }: AppliedAgents["changes"][number]): string {
  const subject = kind === "agent" ? agent : `${agent}: ${kind} ${name}`;
  return `${signs[action]} ${subject}${fields.length > 0 ? ` (${fields.join(", ")})` : ""}`;
}

/** The problems of an error, each with the file and line that it is about. */
function describeError(body: unknown, folders: readonly AgentFolder[]): string {
  const { error } = body as { error?: { message?: string; details?: ErrorDetail[] } | null };
  const details = error?.details ?? [];
  if (folders.length === 0 || details.length === 0) return error?.message ?? "The server answered with an error.";
  return details.map(({ path, message }) => `${locate(path, folders)}: ${fieldOf(path)} ${message}`).join("\n");
}

/** `file:line` of a path such as `agents.0.tools.1.description`. */
function locate(path: string, folders: readonly AgentFolder[]): string {
  const [, index = "0", ...rest] = path.split(".");
  const found = folders[Number(index)]?.locate(rest.join("."));
  return found ? `${found.file}:${found.line}` : path;
}

/** The path within its file. */
const fieldOf = (path: string) => path.replace(/^agents\.\d+\.(?:agent\.|(?:tools|triggers|tests)\.\d+\.)?/, "");

const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
