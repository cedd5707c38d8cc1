import { request } from "node:http";
import { greedyAddress, quietAddress, type Share } from "./share.ts";
import { repeat, type Tenant } from "./tenant.ts";

const CONVERSATIONS = 200;
const NAMES = 4_900;
/** Below the limit of a body, so that the server parses it in the thread for large ones. */
const NAME_LENGTH = 180;
const STREAMS = 200;
const RUNNING = 40;

const reads: Share = {
  resource: "Read lanes",
  pool: "reads_search",
  async prepare({ quiet, greedy, foyer }) {
    for (const tenant of [quiet, greedy])
      for (let count = 0; count < CONVERSATIONS; count++) await begin(foyer.url, tenant.agentId);
    const list = ({ call, agentId }: Tenant) => call("GET", `/conversations?agentId=${agentId}&limit=100&q=question`);
    return {
      probe: () => list(quiet),
      attack: (signal) => repeat(signal, 20, () => list(greedy)),
    };
  },
};

const streams: Share = {
  resource: "Live streams",
  pool: "live_streams",
  share: 135,
  env: { FOYER_LIMIT_STREAMS: String(STREAMS), FOYER_LIMIT_STREAMS_PER_IP: "0", FOYER_LIMIT_CHAT_PER_IP: "0" },
  async prepare({ quiet, greedy, foyer }) {
    const opened = await takeOver(foyer.url, quiet);
    const conversations = await Promise.all(Array.from({ length: STREAMS / 10 }, () => takeOver(foyer.url, greedy)));
    return {
      async probe() {
        const stream = await open(foyer.url, opened);
        if (stream.status !== 200) throw new Error(`The stream was refused with ${stream.status}.`);
        stream.close();
      },
      async attack() {
        for (const conversation of conversations)
          for (let count = 0; count < 10; count++) await open(foyer.url, conversation);
      },
    };
  },
};

/** Begins a conversation that a person has, because only those have live streams that stay open. */
async function takeOver(url: string, tenant: Tenant): Promise<Conversation> {
  const conversation = await begin(url, tenant.agentId);
  await tenant.call("POST", `/conversations/${conversation.id}/takeover`, {});
  return conversation;
}

/** Opens a live stream that is never read. Resolves when the response has begun. */
function open(url: string, { id, token }: Conversation): Promise<{ status: number; close(): void }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const call = request(`${url}/conversations/${id}/events`, { headers, agent: false }, (response) => {
      response.pause();
      response.on("error", () => {});
      resolve({ status: response.statusCode ?? 0, close: () => call.destroy() });
    });
    call.on("error", reject);
    call.end();
  });
}

const replies: Share = {
  resource: "Running replies",
  pool: "running_replies",
  share: 30,
  needsModel: true,
  env: { FOYER_LIMIT_RUNNING: String(RUNNING) },
  async prepare({ quiet, greedy, foyer }) {
    await quiet.call("PATCH", `/agents/${quiet.agentId}`, { model: "openai-compatible/20-tokens-every-5-ms" });
    await greedy.call("PATCH", `/agents/${greedy.agentId}`, { model: "openai-compatible/2-tokens-every-60000-ms" });
    return {
      probe: () => begin(foyer.url, quiet.agentId),
      attack: (signal) => repeat(signal, RUNNING * 2, () => begin(foyer.url, greedy.agentId)),
    };
  },
};

const bodies: Share = {
  resource: "JSON parsing",
  env: { FOYER_LIMIT_CHAT_PER_IP: "600", FOYER_TRUST_PROXY: "127.0.0.1" },
  async prepare({ quiet, greedy, foyer }) {
    const names = Array.from({ length: NAMES }, (_, index) => [`${"x".repeat(NAME_LENGTH)}${index}`, 0]);
    const more = { userMetadata: Object.fromEntries(names) };
    return {
      probe: () => begin(foyer.url, quiet.agentId, { headers: quietAddress }),
      attack: (signal) => repeat(signal, 12, () => begin(foyer.url, greedy.agentId, { headers: greedyAddress, more })),
    };
  },
};

type Conversation = { id: string; token: string };

/** Begins a conversation, and reads its reply. @throws when it was refused */
async function begin(
  url: string,
  agentId: string,
  { headers = {}, more = {} }: { headers?: Record<string, string>; more?: object } = {},
): Promise<Conversation> {
  const response = await fetch(`${url}/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ agentId, messages: [{ role: "user", content: "A question" }], ...more }),
  });
  const text = await response.text();
  const id = /"conversationId":"([^"]+)"/.exec(text)?.[1];
  const token = /"conversationToken":"([^"]+)"/.exec(text)?.[1];
  if (!id || !token) throw new Error(`The conversation did not begin: ${text.slice(0, 500)}`);
  return { id, token };
}

export const visitorShares = [reads, streams, replies, bodies];
