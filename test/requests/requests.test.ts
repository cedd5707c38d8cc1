import { expect, it } from "vitest";
import { onBothDatabases } from "../databases.ts";
import { startServer } from "../server.ts";
import { sayWords, startUpstream } from "../upstream.ts";
import { type Answer, createAnswerCheck, type Document } from "./check-answer.ts";
import { type Call, makeRequest, type Sent } from "./make-request.ts";
import { populate } from "./populate.ts";
import { createRandom } from "./random.ts";

/** The short form runs with the suite; `npm run test:requests` sends 20,000 to each database. */
const count = Number(process.env.FOYER_REQUESTS ?? 400);
/** The seed of the requests. Set it to repeat a run: the same seed sends the same requests in the same order. */
const seed = Number(process.env.FOYER_REQUESTS_SEED ?? 1);
const TIMEOUT_MS = 30_000;
const CONCURRENCY = 10;
/**
 * Requests per round. In a round, every operation that ends a session or an organization is called once or twice. The
 * next round starts with a new organization.
 */
const ROUND = 250;

const env = {
  FOYER_LIMIT_CHAT_PER_SESSION: "0",
  FOYER_LIMIT_EVENTS_PER_SESSION: "0",
  FOYER_LIMIT_EVENTS_PER_IP: "0",
  FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0",
  FOYER_WEBHOOK_SCHEDULE: "0s",
  // A busy machine would be answered with 503, which looks like a fault of the server here.
  FOYER_MAX_LAG: "0s",
};

/** These requests end or remove what other requests need, so they use their own organization. */
const destructiveOperations =
  /^(delete|erase|signOut|changePassword|removeMember|updateMember|switchOrganization|rotate|acceptInv)/;

/** These bodies are written with `sendJsonPages`, to which Fastify does not apply the response schema. */
const streamedPages = ["/agents", "/secrets", "/conversations/{id}"];

onBothDatabases("the server", (createDatabase) => {
  it(`answers ${count} generated requests as the OpenAPI document declares`, { timeout: 3_600_000 }, async () => {
    const database = await createDatabase();
    // The demo model pauses between words.
    const upstream = await startUpstream(sayWords("Hello"));
    const model = {
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
    };
    const server = await startServer({ database, env: { ...env, ...model }, listen: true });
    const document: Document = await (await fetch(`${server.url}/openapi.json`)).json();
    const check = createAnswerCheck(document);
    const calls = listCalls(document);
    const random = createRandom(seed);
    const statuses = new Map<string, number>();
    const neverDone = new Set(calls.map(({ operation }) => operation.operationId));
    const problems: string[] = [];
    const unavailable: string[] = [];
    const ask = async (number: number, call: Call, sent: Sent) => {
      const answer = await send(server.url, sent);
      const problem = typeof answer === "string" ? answer : check.check(call.operation, answer);
      if (problem) problems.push(report(number, call, sent, problem, answer));
      const status = typeof answer === "string" ? "none" : `${Math.floor(answer.status / 100)}xx`;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === "5xx") unavailable.push(report(number, call, sent, "is unavailable", answer));
      if (status === "2xx" || status === "3xx") neverDone.delete(call.operation.operationId);
    };
    let [lasting, doomed] = [await populate(server), await populate(server)];
    for (const path of streamedPages) {
      const call = calls.find((candidate) => candidate.method === "GET" && candidate.path === path) as Call;
      const url = path.replace("{id}", lasting.ids.conversationId ?? "");
      const answer = await send(server.url, { method: "GET", url, headers: { authorization: lasting.key } });
      expect(answer, path).toMatchObject({ status: 200, text: expect.stringMatching(/\[\{.*\}\]/) });
      expect(check.check(call.operation, answer as Answer), path).toBeNull();
    }
    let next = 0;
    const askUntil = async (end: number) => {
      while (next < end) {
        const number = next++;
        const call = calls[number % calls.length] as Call;
        const sample = destructiveOperations.test(call.operation.operationId) ? doomed : lasting;
        await ask(number, call, makeRequest(call, sample, random, check.resolve));
      }
    };
    while (next < count) {
      if (next % (4 * ROUND) === 0 && next > 0) lasting = await populate(server);
      if (next > 0) doomed = await populate(server);
      const end = Math.min(count, next + ROUND);
      await Promise.all(Array.from({ length: CONCURRENCY }, () => askUntil(end)));
    }
    await server.stop();
    await upstream.stop();
    await database.drop();
    console.info(`seed ${seed}, ${calls.length} operations:`, Object.fromEntries(statuses));
    if (unavailable.length > 0) console.info("Server errors:", unavailable.slice(0, 20));
    console.info("Operations without a success:", [...neverDone].join(", ") || "none");
    expect(problems.slice(0, 20), `${problems.length} of ${count}`).toEqual([]);
  });
});

function listCalls({ paths }: Document): Call[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Returns a text when no response arrived in time. */
async function send(base: string, { method, url, headers, body }: Sent): Promise<Answer | string> {
  try {
    const response = await fetch(`${base}${url}`, {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
    const isEndless = mediaType === "text/event-stream" && /\/events(\?|$)/.test(url);
    return {
      status: response.status,
      mediaType,
      text: isEndless ? await readFirstEvents(response) : await response.text(),
    };
  } catch (error) {
    return `no answer: ${error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : String(error)}`;
  }
}

/** The first events of a stream that does not end by itself. */
async function readFirstEvents({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("data: ") && text.endsWith("\n\n")) break;
  }
  return text;
}

function report(number: number, { operation }: Call, sent: Sent, problem: string, answer: Answer | string): string {
  const got = typeof answer === "string" ? "" : `${answer.status} ${answer.text.slice(0, 300).replaceAll("\n", " ")}`;
  const body = sent.body?.slice(0, 500) ?? "";
  return `#${number} ${operation.operationId}: ${sent.method} ${sent.url.slice(0, 300)} ${body} ${problem}: ${got}`;
}
