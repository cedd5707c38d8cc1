import { setTimeout as wait } from "node:timers/promises";
import { startOptions } from "../test/start-options.ts";
import { type BenchProcess, freePort, startProgram } from "./processes.ts";
import { type Script, scriptName } from "./upstream-script.ts";

const API_KEY = "bench-key-0123456789-0123456789";
export const authorized = { authorization: `Bearer ${API_KEY}` };

const main = new URL("../packages/server/src/main.js", import.meta.url);
const START_TIMEOUT_MS = 120_000;

export type Foyer = BenchProcess & {
  /** from spawn to the first 200 of /readyz, in milliseconds */
  startMs: number;
  /** Creates an agent whose model is the provider's stand-in with this script. @returns its id */
  createAgent(script?: Script): Promise<string>;
  /** Lets visitors of the agent attach pictures and files. */
  allowAttachments(agentId: string): Promise<void>;
};

type FoyerOptions = {
  dataDir: string;
  /** PostgreSQL's address; without it, SQLite in `dataDir` */
  databaseUrl?: string;
  upstreamUrl?: string;
  nodeOptions?: string[];
  env?: Record<string, string>;
};

/** The real server, ready, without limits. It stores data in `dataDir`; without `upstreamUrl` it has no model. */
export async function startFoyer(options: FoyerOptions) {
  const port = await freePort();
  const startedAt = performance.now();
  const server = startProgram(main, `http://127.0.0.1:${port}`, createEnvironment(port, options), [
    ...startOptions,
    ...(options.nodeOptions ?? []),
  ]);
  try {
    await waitUntilReady(server, startedAt + START_TIMEOUT_MS);
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  const foyer: Foyer = {
    ...server,
    startMs: performance.now() - startedAt,
    createAgent: (script) => createAgent(server.url, script),
    allowAttachments: (agentId) => allowAttachments(server.url, agentId),
  };
  return foyer;
}

async function allowAttachments(url: string, agentId: string): Promise<void> {
  const response = await fetch(`${url}/agents/${agentId}`, {
    method: "PATCH",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ attachments: { images: true, files: true, handoffOnly: false } }),
  });
  if (!response.ok) throw new Error(`Attachments were not allowed: ${await response.text()}`);
}

/** An agent in a data folder or PostgreSQL database whose server has stopped again. @returns its id */
export async function createAgentIn(dataDir: string, databaseUrl?: string): Promise<string> {
  await using foyer = await startFoyer({ dataDir, ...(databaseUrl ? { databaseUrl } : {}) });
  // Awaited here, because the server ends with this scope.
  return await foyer.createAgent();
}

function createEnvironment(port: number, { dataDir, databaseUrl, upstreamUrl, env }: FoyerOptions) {
  return {
    PORT: String(port),
    FOYER_DATA_DIR: dataDir,
    FOYER_ADMIN_EMAIL: "bench@example.com",
    FOYER_ADMIN_PASSWORD: "a password for the bench",
    FOYER_ADMIN_API_KEY: API_KEY,
    FOYER_LOG_LEVEL: "warn",
    FOYER_DRAIN_TIMEOUT: "500ms",
    ...(upstreamUrl ? { OPENAI_COMPATIBLE_BASE_URL: `${upstreamUrl}/v1` } : {}),
    FOYER_DEFAULT_MODEL: upstreamUrl ? "openai-compatible/test" : "foyer/demo",
    FOYER_LIMIT_CHAT_PER_SESSION: "0",
    FOYER_LIMIT_CHAT_PER_IP: "0",
    FOYER_LIMIT_RUNNING_PER_IP: "0",
    FOYER_LIMIT_RUNNING: "0",
    FOYER_LIMIT_SUBMIT_PER_IP: "0",
    FOYER_LIMIT_API_PRO: "0",
    FOYER_LIMIT_VISITOR_TOKENS_PER_DAY: "0",
    ...(databaseUrl ? { DATABASE_URL: databaseUrl, FOYER_SECRET: "a secret of the bench, long enough" } : {}),
    FOYER_LIMIT_EVENTS_PER_SESSION: "0",
    FOYER_LIMIT_EVENTS_PER_IP: "0",
    ...env,
  };
}

async function waitUntilReady(server: BenchProcess, deadline: number) {
  while (!(await isReadyAt(server.url).catch(() => false))) {
    if (server.hasEnded())
      throw new Error("The server ended before it was ready. See its output above for the reason.");
    if (performance.now() > deadline) throw new Error(`The server was not ready within ${START_TIMEOUT_MS} ms.`);
    await wait(5);
  }
}

async function isReadyAt(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`);
  await response.text();
  return response.ok;
}

async function createAgent(url: string, script: Script | undefined): Promise<string> {
  const model = script ? { model: `openai-compatible/${scriptName(script)}` } : {};
  const response = await fetch(`${url}/agents`, {
    method: "POST",
    headers: { ...authorized, "content-type": "application/json" },
    body: JSON.stringify({ name: "Bench", systemPrompt: "You are a helpful assistant. Answer briefly.", ...model }),
  });
  if (response.status !== 201) throw new Error(`The agent was not created: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}
