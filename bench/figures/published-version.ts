import { join } from "node:path";
import { type AgentService, createAgentService } from "../../packages/server/src/agents/service.ts";
import { compileOnce } from "../../packages/server/src/db/compiled-query.ts";
import type { AgentRow, ToolRow } from "../../packages/server/src/db/tables.ts";
import type { Deps } from "../../packages/server/src/deps.ts";
import { createAgentTools, type ToolSource, toFunctionTool } from "../../packages/server/src/tools/agent-tools.ts";
import { createDrafts } from "../../packages/server/src/versions/drafts.ts";
import { createFrozenTools } from "../../packages/server/src/versions/frozen-tools.ts";
import { createRollouts } from "../../packages/server/src/versions/rollouts.ts";
import { createAgent, createTool } from "../../test/factories.ts";
import { startServer } from "../../test/server.ts";
import { ms, type Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { cpuPerReply } from "../reply-cpu.ts";
import { alternate, median, ROUNDS } from "../rounds.ts";

const READS = 3_000;
const LIMIT = 0.03;
const script = { tokens: 200, everyMs: 0, isStamped: false };
const load = { streams: 16, rampMs: 0, replies: 20 };
const prompt = "You sell bicycles. ".repeat(100);

/** What is read to know the agent and its tools of a reply. */
type Read = (agentId: string) => Promise<unknown>;

/**
 * What reading the published version costs a reply: the CPU time of reading the agent and its tools in their version,
 * minus that of reading them without versions, as a share of the CPU time of a whole reply.
 */
export async function measurePublishedVersion(): Promise<Row[]> {
  const replyMs = await measureReply();
  using folder = temporaryFolder();
  const database = { address: { kind: "sqlite" as const, file: join(folder.path, "foyer.db") }, drop: async () => {} };
  const server = await startServer({ database });
  try {
    const owner = await server.createAccount();
    const create = async (settings: object, tools: number) => {
      const agentId = await createAgent(owner, { systemPrompt: prompt, ...settings });
      for (let index = 0; index < tools; index++) {
        await createTool(owner, { agentId, name: `tool_${"abc"[index]}`, executionType: "mock" });
      }
      return agentId;
    };
    const rolledOut = await create({ publishing: "manual" }, 0);
    await owner.call("PATCH", `/agents/${rolledOut}`, { systemPrompt: `${prompt} And boats.` });
    await owner.call("POST", `/agents/${rolledOut}/publish`);
    await owner.call("PUT", `/agents/${rolledOut}/rollout`, { version: 1, percent: 100 });
    const cases: Array<[string, string, number]> = [
      ["published at once", await create({}, 0), LIMIT],
      ["published at once, with 3 tools", await create({}, 3), LIMIT],
      ["published by hand", await create({ publishing: "manual" }, 0), LIMIT],
      ["of a rollout", rolledOut, LIMIT],
    ];
    const rows: Row[] = [];
    for (const [name, agentId, limit] of cases) {
      const extraMs = await measureExtra(server.deps, agentId);
      rows.push({
        figure: `CPU of reading the version of a reply, ${name}`,
        measured: ms(extraMs),
        baseline: `${ms(replyMs)} (a reply)`,
        ratio: `${((100 * extraMs) / replyMs).toFixed(1)} %`,
        target: `<= ${100 * limit} %`,
        isMet: extraMs / replyMs <= limit,
      });
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** The CPU time of a whole reply, in milliseconds. */
async function measureReply(): Promise<number> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const chat = chatEndpoint(foyer.url, await foyer.createAgent(script), script);
  const measured: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) measured.push(await cpuPerReply(foyer, chat, load));
  return median(measured.slice(1));
}

/** In milliseconds. */
async function measureExtra(deps: Deps, agentId: string): Promise<number> {
  const { subject, baseline } = await alternate({
    subject: () => cpuOf(createVersionedRead(deps), agentId),
    baseline: () => cpuOf(createBareRead(deps), agentId),
  });
  return median(subject) - median(baseline);
}

async function cpuOf(read: Read, agentId: string): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < READS; done++) await read(agentId);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / READS;
}

/** As the chat reads them, see chat/service.ts. */
function createVersionedRead(deps: Deps): Read {
  const agents: AgentService = createAgentService(deps, {
    drafts: createDrafts(deps),
    onChange: () => {},
    onDelete: () => {},
  });
  const rollouts = createRollouts(deps);
  const runner = { run: () => Promise.reject(new Error("No tool runs here.")) };
  const toolsOf = createAgentTools(deps, { runner, frozenTools: createFrozenTools(deps) });
  return async (agentId) => {
    const live = await agents.use(await agents.getPublic(agentId));
    const { agent, rolloutId } = await rollouts.choose(live, null);
    const source: ToolSource = rolloutId === null ? "live" : "rollout";
    return toolsOf(agent, { visitor: null, conversation: { id: "" }, page: null, clientTools: [] }, { source });
  };
}

/** As they would be read without versions. */
function createBareRead({ db }: Deps): Read {
  const agent = compileOnce<{ id: string }, AgentRow>((param) =>
    db.selectFrom("agents").selectAll().where("id", "=", param("id")).where("deletedAt", "is", null),
  );
  const tools = compileOnce<{ agentId: string }, ToolRow>((param) =>
    db.selectFrom("tools").selectAll().where("agentId", "=", param("agentId")).where("isEnabled", "=", 1).orderBy("id"),
  );
  return async (agentId) => {
    const [row] = (await agent(db, { id: agentId })).rows;
    const { rows } = await tools(db, { agentId });
    return { row, tools: rows.map(toFunctionTool) };
  };
}
