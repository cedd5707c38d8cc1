import type { ProviderTest } from "@foyer/contract";
import { OutboundError } from "../outbound/outbound-error.ts";
import { askModel, refusesPictures } from "./ask-model.ts";
import { goodPicture } from "./prompt-files.ts";
import { type Connection, chatEndpoint, type Provider } from "./provider.ts";
import type { ProviderName } from "./provider-environment.ts";
import { describeFailure, withoutKey } from "./provider-failure.ts";
import { findProviderMessage } from "./provider-message.ts";
import { createRecorder } from "./record-exchanges.ts";

const TOTAL_MS = 10_000;
const MAX_BYTES = 2_000_000;
/** Time limits of the reply in milliseconds. */
const REPLY_LIMITS = { idleTimeout: 20_000, totalTimeout: 30_000 };
const MAX_REPLY = 2_000;

export type ProviderTestResult = Omit<ProviderTest, "success" | "durationMs">;
const unknownAbilities = { streaming: null, toolCalls: null, images: null };
/** The maximum number of listed models in a result. */
const MAX_MODELS = 500;

type Answer = { status: number; json: unknown };

/**
 * Makes the smallest request that proves that the URL and key work: the list of models, or a one-token reply if the
 * kind of server may not have a list.
 * @param options.model the model for that reply
 * @param options.isHidden the URL belongs to the operator, so nothing about it is disclosed
 * @param options.sendMessage also requests a reply in the way in which agents do
 * @returns the problem in words for a member, never containing the key; null when the provider works
 */
export async function testProvider(
  provider: Provider & { name: ProviderName },
  connection: Connection,
  options: { organizationId: string; model: string | null; isHidden: boolean; sendMessage: boolean },
): Promise<ProviderTestResult> {
  const { isHidden } = options;
  const { outbound, exchanges } = createRecorder(connection.outbound, connection, { isHidden });
  const recorded = { ...connection, outbound };
  const ask = createAsk(recorded, performance.now() + TOTAL_MS);
  const found: { names: string[] } = { names: [] };
  const answer = (error: string | null): ProviderTestResult => ({
    error,
    reply: null,
    models: found.names.slice(0, MAX_MODELS),
    ...unknownAbilities,
    exchanges,
  });
  try {
    const problem = await findProblem(provider, recorded, { ...options, found, ask });
    const error = problem && withoutKey(problem, connection.apiKey);
    // A provider without a list can only be tested with a message.
    if (error || (!options.sendMessage && provider.models !== null)) return answer(error);
    const model = options.model ?? provider.defaultModel ?? found.names[0];
    if (!model) return answer("Name a model to test with. The provider lists none.");
    const { organizationId } = options;
    const tried = await tryModel(provider, recorded, { modelId: model, organizationId });
    const contentType = exchanges.at(-1)?.response?.headers["content-type"] ?? "";
    const streaming = tried.error === null ? /event-?stream/i.test(contentType) : null;
    return { ...answer(null), ...tried, streaming };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return answer(withoutKey(isHidden ? `${error.publicMessage}.` : error.message, connection.apiKey));
  }
}

type Tried = Pick<ProviderTestResult, "error" | "reply" | "toolCalls" | "images">;

/** Asks the model with a picture and, if it refuses that, without one. */
async function tryModel(
  provider: Provider & { name: ProviderName },
  connection: Connection,
  options: { modelId: string; organizationId: string },
): Promise<Tried> {
  const withPicture = await requestReply(provider, connection, { ...options, hasPicture: true });
  if (withPicture.error === null) {
    const { modelId, organizationId } = options;
    const asked = { provider: connection.kind, modelId, baseUrl: connection.baseUrl };
    return { ...withPicture, images: !refusesPictures(organizationId, asked) };
  }
  const isRefusal = /^HTTP 4(?!01|03|29)/.test(withPicture.error);
  if (!isRefusal) return { ...withPicture, images: null };
  const withoutPicture = await requestReply(provider, connection, { ...options, hasPicture: false });
  return { ...withoutPicture, images: withoutPicture.error === null ? false : null };
}

const sayTool = {
  type: "function" as const,
  name: "say",
  description: "Says a word.",
  inputSchema: { type: "object" as const, properties: { word: { type: "string" as const } }, required: ["word"] },
};

async function requestReply(
  provider: Provider & { name: ProviderName },
  connection: Connection,
  { modelId, organizationId, hasPicture }: { modelId: string; organizationId: string; hasPicture: boolean },
): Promise<Omit<Tried, "images">> {
  const { apiKey, baseUrl } = connection;
  const model = await provider.connect(connection, modelId);
  const chosen = { ...model, source: { provider: provider.name, apiKey, baseUrl }, isOperatorPaid: false };
  const text = {
    type: "text" as const,
    text: "Call the tool `say` with the word Hello. If you have no tool, reply: Hello",
  };
  const prompt = [{ role: "user" as const, content: hasPicture ? [text, goodPicture] : [text] }];
  let said = "";
  let hasCalled = false;
  try {
    await askModel(
      chosen,
      { prompt, tools: [sayTool] },
      {
        organizationId,
        limits: REPLY_LIMITS,
        signal: new AbortController().signal,
        sink: {
          begin() {
            said = "";
            hasCalled = false;
          },
          part(part) {
            if (part.type === "text-delta") said += part.delta;
            if (part.type === "tool-call") hasCalled = true;
          },
        },
      },
    );
  } catch (error) {
    const { message, providerStatus } = describeFailure(error, chosen);
    const problem = providerStatus === null ? message : `HTTP ${providerStatus}: ${message}`;
    return { error: problem, reply: null, toolCalls: null };
  }
  if (said.trim() === "" && !hasCalled) {
    return { error: "The model sent an empty reply.", reply: null, toolCalls: null };
  }
  const shown = said.trim() === "" ? "(a call of the tool)" : said.slice(0, MAX_REPLY).toWellFormed();
  return { error: null, reply: { model: modelId, text: shown }, toolCalls: hasCalled };
}

async function findProblem(
  provider: Provider,
  connection: Connection,
  {
    model,
    isHidden,
    sendMessage,
    found,
    ask,
  }: { model: string | null; isHidden: boolean; sendMessage: boolean; found: { names: string[] }; ask: Ask },
): Promise<string | null> {
  const { models, baseUrl, label } = provider;
  const { apiKey } = connection;
  if (models === null) return null;
  const list = await ask("GET", connection.baseUrl + models.path, { headers: apiKey ? models.headers(apiKey) : {} });
  const names = list.status === 200 ? listNames(models, list.json) : [];
  found.names = names;
  if (names.length > 0) return null;
  // A user-entered URL can lead to any implementation, and many servers do not list their models.
  const canReply = baseUrl === null && !isKeyRefused(list);
  if (!canReply) return explain(list, { label, apiKey, isHidden });
  // The message that follows shows whether the server works.
  if (sendMessage && model !== null) return null;
  const { url, headers } = chatEndpoint(connection);
  const asked = { model: model ?? "test", messages: [{ role: "user", content: "Hi" }], max_tokens: 1 };
  const reply = await ask("POST", url, { headers, body: asked });
  // "Unknown model" for our placeholder name means that the server accepted the URL and the key.
  if (isOk(reply) || (model === null && isUnknownModel(reply))) return null;
  return explain(reply, { label, apiKey, isHidden });
}

/** The server at the URL may send anything. A response in another format counts as an empty list. */
function listNames({ names }: NonNullable<Provider["models"]>, json: unknown): string[] {
  try {
    return names(json);
  } catch {
    return [];
  }
}

type Ask = (
  method: "GET" | "POST",
  url: string,
  message: { headers: Record<string, string>; body?: object },
) => Promise<Answer>;

function createAsk({ trust, organizationId, outbound }: Connection, deadline: number): Ask {
  return async (method, url, { headers, body }) => {
    const answer = await outbound.request({
      url,
      method,
      trust,
      organizationId,
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

function explain(
  answer: Answer,
  { label, apiKey, isHidden }: { label: string; apiKey: string | null; isHidden: boolean },
): string {
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
