import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { columnDefaults } from "./agents/columns.ts";
import { readConfig } from "./config.ts";
import type { createDeps } from "./create-deps.ts";
import { migrate } from "./db/migrate.ts";
import { openMemoryDatabase } from "./db/open.ts";
import type { Deps } from "./deps.ts";
import type { App } from "./http/app.ts";
import { newId } from "./ids.ts";
import type { Outbound } from "./outbound/guarded-request.ts";

const REPLIES_AT_ONCE = 8;
const TOKENS = 100;
/** The maximum number of rounds. On an idle machine, later rounds are no faster. */
const MAX_ROUNDS = 12;

/** The configuration of the second server. It does not depend on this process's environment. */
const environment = {
  FOYER_SECRET: "This secret encrypts nothing that is kept.",
  FOYER_LIMIT_CHAT_PER_IP: "0",
  FOYER_LIMIT_RUNNING_PER_IP: "0",
  FOYER_LIMIT_VISITOR_TOKENS_PER_DAY: "0",
  FOYER_MAX_LAG: "0s",
  OPENAI_COMPATIBLE_BASE_URL: "http://model.invalid/v1",
  FOYER_DEFAULT_MODEL: "openai-compatible/warm-up",
};

type Options = {
  createDeps: typeof createDeps;
  createApp(deps: ReturnType<typeof createDeps>): Promise<{ app: App; drain(): Promise<void> }>;
  maxMs: number;
  maxRounds?: number;
};

/**
 * Streams replies for up to `maxMs`, so that V8 has loaded and compiled the code for a chat message when the first
 * visitors arrive. A second server in this process stores the replies in a database in memory. Its model is a fixed
 * text. Nothing of it is left in the data, and it makes no connection. See
 * docs/decisions/0059-cheap-requests-and-warm-starts.md.
 * @returns how many replies were streamed
 */
export async function warmUp({ maxMs, maxRounds = MAX_ROUNDS, ...create }: Options): Promise<number> {
  const endsAt = performance.now() + maxMs;
  const own = { database: openMemoryDatabase(), outbound: createFixedModel() };
  // The default database file can be the server's own. Worker threads would open it.
  const config = { ...readConfig(environment), database: own.database.address };
  const deps = create.createDeps(config, pino({ level: "silent" }), own);
  try {
    await migrate({ db: deps.db, kind: deps.databaseKind });
    const agentId = await insertAgent(deps);
    const { app, drain } = await create.createApp(deps);
    let rounds = 0;
    try {
      for (; rounds < maxRounds && performance.now() < endsAt; rounds++) {
        await Promise.all(Array.from({ length: REPLIES_AT_ONCE }, () => chat(app, agentId)));
      }
    } finally {
      await drain();
      await app.close();
    }
    return rounds * REPLIES_AT_ONCE;
  } finally {
    await deps.close();
  }
}

/** Sends a message in a new conversation, and reads the reply. */
async function chat(app: App, agentId: string): Promise<void> {
  const payload = { agentId, sessionId: newId("conv"), messages: [{ role: "user", content: "When are you open?" }] };
  const { statusCode, body } = await app.inject({ method: "POST", url: "/chat", payload });
  if (!body.includes('"stopReason":"end_turn"'))
    throw new Error(`The warm-up got ${statusCode}: ${body.slice(0, 500)}`);
}

async function insertAgent({ db }: Pick<Deps, "db">): Promise<string> {
  const organizationId = newId("org");
  const createdAt = new Date().toISOString();
  const names = { name: "Warm-up", slug: "warm-up" };
  await db
    .insertInto("organizations")
    .values({ id: organizationId, ...names, logo: null, metadata: null, plan: "pro", createdAt })
    .execute();
  const id = newId("agent");
  const now = Date.now();
  await db
    .insertInto("agents")
    .values({ ...columnDefaults, ...names, id, organizationId, createdAt: now, updatedAt: now, identitySecret: "" })
    .execute();
  await db.insertInto("agentCounters").values({ agentId: id, conversations: 0 }).execute();
  return id;
}

/** Responds to every request with the same stream of tokens. Nothing reaches the network. */
function createFixedModel(): Outbound {
  const refuse = () => {
    throw new Error("The warm-up has no network.");
  };
  return {
    request: async () => refuse(),
    stream: async () => ({ status: 200, headers: {}, body: Readable.from(tokens(), { objectMode: false }) }),
    fetch: () => async () => refuse(),
    webSocket: async () => refuse(),
    checkUrl() {},
    async close() {},
  };
}

async function* tokens(): AsyncGenerator<Buffer> {
  for (let token = 0; token < TOKENS; token++) {
    await nextTurn();
    yield event({ choices: [{ index: 0, delta: { content: ` ${token}` }, finish_reason: null }] });
  }
  yield event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  yield event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: TOKENS } });
  yield Buffer.from("data: [DONE]\n\n");
}

const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
