import { OutboundError } from "../outbound/outbound-error.ts";
import { type Connection, chatEndpoint, type Provider } from "./provider.ts";
import { withoutKey } from "./provider-failure.ts";
import { findProviderMessage } from "./provider-message.ts";

const TOTAL_MS = 10_000;
const MAX_BYTES = 2_000_000;

type Answer = { status: number; json: unknown };

/**
 * Makes the smallest request that proves that the URL and key work: the list of models, or a one-token reply if the
 * kind of server may not have a list.
 * @param options.model the model for that reply
 * @param options.isHidden the URL belongs to the operator, so nothing about it is disclosed
 * @returns the problem in words for a member, never containing the key; null when the provider works
 */
export async function testProvider(
  provider: Provider,
  connection: Connection,
  options: { model: string | null; isHidden: boolean },
): Promise<string | null> {
  const ask = createAsk(connection, performance.now() + TOTAL_MS);
  try {
    const problem = await findProblem(provider, connection, options.model, ask, options.isHidden);
    return problem && withoutKey(problem, connection.apiKey);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return withoutKey(options.isHidden ? `${error.publicMessage}.` : error.message, connection.apiKey);
  }
}

async function findProblem(
  provider: Provider,
  connection: Connection,
  model: string | null,
  ask: Ask,
  isHidden: boolean,
): Promise<string | null> {
  const { models, baseUrl, label } = provider;
  const { apiKey } = connection;
  const list = await ask("GET", connection.baseUrl + models.path, apiKey ? models.headers(apiKey) : {});
  const names = list.status === 200 ? listNames(models, list.json) : [];
  if (names.length > 0) return null;
  // A user-entered URL can lead to any implementation, and many servers do not list their models.
  const canReply = baseUrl === null && !isKeyRefused(list);
  if (!canReply) return explain(list, label, apiKey, isHidden);
  const { url, headers } = chatEndpoint(connection);
  const asked = { model: model ?? "test", messages: [{ role: "user", content: "Hi" }], max_tokens: 1 };
  const reply = await ask("POST", url, headers, asked);
  // "Unknown model" for our placeholder name means that the server accepted the URL and the key.
  if (isOk(reply) || (model === null && isUnknownModel(reply))) return null;
  return explain(reply, label, apiKey, isHidden);
}

/** The server at the URL may send anything. A response in another format counts as an empty list. */
function listNames({ names }: Provider["models"], json: unknown): string[] {
  try {
    return names(json);
  } catch {
    return [];
  }
}

type Ask = (method: "GET" | "POST", url: string, headers: Record<string, string>, body?: object) => Promise<Answer>;

function createAsk({ trust, outbound }: Connection, deadline: number): Ask {
  return async (method, url, headers, body) => {
    const answer = await outbound.request({
      url,
      method,
      trust,
      maxBytes: MAX_BYTES,
      timeoutMs: Math.max(1, Math.round(deadline - performance.now())),
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, json: readJson(answer.body) };
  };
}

const isOk = ({ status, json }: Answer) => status === 200 && json !== null;
const isUnknownModel = (answer: Answer) =>
  /^4(00|04|22)$/.test(String(answer.status)) && /model/i.test(quoteProvider(answer));

/** Google responds to an invalid key with status 400. */
function isKeyRefused(answer: Answer): boolean {
  return (
    answer.status === 401 || answer.status === 403 || (answer.status === 400 && /api.?key/i.test(quoteProvider(answer)))
  );
}

function explain(answer: Answer, label: string, apiKey: string | null, isHidden: boolean): string {
  const { status, json } = answer;
  if (isKeyRefused(answer))
    return `${apiKey ? "The provider rejected the key" : "The provider requires a key"} (HTTP ${status}).`;
  const isNowhere = (status === 404 || status === 405) && quoteProvider(answer) === "";
  if (isNowhere) return `${label} was not found at this URL (HTTP ${status}).`;
  if (status === 200) {
    return json === null
      ? `The server at this URL does not respond like ${label}.`
      : "The server responds but lists no models.";
  }
  // Remove the key before truncating the text, because a truncated key would no longer be recognized.
  const words = isHidden ? "" : withoutKey(quoteProvider(answer), apiKey).replace(/\s+/g, " ").trim().slice(0, 300);
  return `HTTP ${status}${words ? `: ${words}` : "."}`;
}

function quoteProvider({ json }: Answer): string {
  return typeof json === "object" && json !== null ? findProviderMessage(json) : "";
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}
