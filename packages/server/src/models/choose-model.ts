import type { ModelInfo } from "@foyer/contract";
import type { Logger } from "pino";
import { AppError, notFound } from "../errors.ts";
import type { Outbound } from "../outbound/guarded-request.ts";
import { createFairPool, type FairPool } from "../pools/fair-pool.ts";
import { anthropic } from "./anthropic.ts";
import { refusesTools } from "./ask-model.ts";
import { azure } from "./azure.ts";
import { bedrock } from "./bedrock.ts";
import type { ChatModel, ChosenModel, VisionSetting } from "./chat-model.ts";
import { createCircuits } from "./circuit.ts";
import { createDemoModel } from "./demo/demo-model.ts";
import { createEmbedder, type Embedder } from "./embedder.ts";
import { google } from "./google.ts";
import { createListedDefaults } from "./listed-default.ts";
import { mistral } from "./mistral.ts";
import { type Candidate, type Changeover, createModelChain, type ModelChain } from "./model-chain.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Connection, Provider } from "./provider.ts";
import {
  builtInNames,
  isBuiltIn,
  isUsable,
  type ProviderAccess,
  type ProviderKind,
  type ProviderName,
} from "./provider-environment.ts";
import { providerOf } from "./provider-of.ts";
import { type ProviderTestResult, testProvider } from "./test-provider.ts";

const DEMO = "foyer/demo";
const LIST_TIMEOUT_MS = 5_000;
const LIST_MAX_BYTES = 2_000_000;

const providers: Record<ProviderKind, Provider> = {
  openai,
  anthropic,
  google,
  mistral,
  ollama,
  "openai-compatible": openaiCompatible,
  azure,
  bedrock,
};

export type ModelOptions = {
  defaultModel: string | null;
  environment: ReadonlyMap<ProviderName, ProviderAccess>;
  /** the organizations' own provider settings */
  settings: { get(organizationId: string): Promise<ReadonlyMap<ProviderName, ProviderAccess>> };
  /** what the organizations have set for models */
  modelSettings: { vision(organizationId: string, model: string): Promise<VisionSetting | undefined> };
  outbound: Outbound;
  /** how long a failing provider is not asked, in milliseconds; 0 turns this off */
  circuitWindow: number;
  /** the size of the pictures and files that are sent at the same time; 0 = no limit */
  fileBytes: number;
  log: Logger;
};

/** What `choose` needs to know of an agent. */
type ModelAgent = { id: string; model: string | null; fallbackModels: string; organizationId: string };

export type Models = ReturnType<typeof createModels>;

export function createModels(options: ModelOptions) {
  const { defaultModel, environment, settings, modelSettings, outbound, circuitWindow, fileBytes, log } = options;
  const circuits = createCircuits(circuitWindow);
  const changeovers = createChangeoverCounts();
  const fileRoom = createFileRoom(fileBytes);
  // Bare model names belong to the default's provider, even while it does not list its models.
  const namedDefault = defaultModel ?? findFirstDefault(environment);
  const listed = createListedDefaults({ list: (_, connection) => listNames(connection), log });

  /**
   * The default model with these connections: the operator's choice if its provider is usable, then the default of the
   * first usable provider that has one or lists one, then the demo.
   */
  async function chooseDefault(usable: Connections): Promise<string> {
    if (defaultModel !== null) {
      const { provider } = parseModelId(defaultModel, defaultModel);
      const isUsable = usable.size === 0 || defaultModel === DEMO || (provider !== undefined && usable.has(provider));
      if (isUsable) return defaultModel;
    }
    for (const [name, connection] of usable) {
      const model = providers[connection.kind].defaultModel ?? (await listed.find(name, connection));
      if (model) return `${name}/${model}`;
    }
    return defaultModel ?? DEMO;
  }

  /**
   * Every provider that the organization can use. Its own settings replace the environment's entry as a whole, so its
   * URL never receives the operator's key.
   */
  async function resolveConnections(organizationId: string) {
    const own = await settings.get(organizationId);
    const usable = new Map<ProviderName, Connection>();
    for (const name of new Set([...builtInNames, ...environment.keys(), ...own.keys()])) {
      const access = own.get(name) ?? environment.get(name);
      const connection = access && resolveConnection(organizationId, { access, isOwn: own.has(name) });
      if (connection) usable.set(name, connection);
    }
    return usable;
  }

  function resolveConnection(
    organizationId: string,
    { access, isOwn }: { access: ProviderAccess; isOwn: boolean },
  ): Connection | null {
    const { kind, apiKey, server } = access;
    if (!isUsable(access)) return null;
    const { baseUrl: known } = providers[kind];
    const baseUrl = access.baseUrl ?? (typeof known === "function" ? known(server) : known);
    if (!baseUrl) return null;
    // Only the addresses of built-in providers are known to be theirs.
    const trust = isOwn && (access.baseUrl !== null || !isBuiltIn(kind)) ? "untrusted" : "operator";
    return {
      kind,
      apiKey,
      server,
      baseUrl: withDefaultPath(baseUrl, providers[kind]),
      trust,
      organizationId,
      outbound,
    };
  }

  return {
    providers,
    /**
     * The default model with the environment's providers, and the connected providers that have no model to be the
     * default. They are listed only while the demo is the default.
     */
    async describeDefault() {
      const usable = new Map<ProviderName, Connection>();
      for (const [name, access] of environment) {
        const connection = resolveConnection("server", { access, isOwn: false });
        if (connection) usable.set(name, connection);
      }
      const modelId = await chooseDefault(usable);
      return { modelId, withoutDefault: modelId === DEMO && defaultModel === null ? [...usable.keys()] : [] };
    },
    ...createEmbeddingModels(resolveConnections, settings),
    /** The model that the organization's agents use when they have not chosen one. */
    async defaultFor(organizationId: string): Promise<string> {
      return chooseDefault(await resolveConnections(organizationId));
    },
    /**
     * The models that may write an agent's reply: its own, then its fallback models. `model: null` follows the default.
     * If no provider is configured at all, the demo model answers for every id.
     * @param options `isVisitor` keeps the model's name out of the error
     * @throws 503 MODEL_NOT_CONFIGURED when some provider is configured, but none of these models
     */
    async choose(agent: ModelAgent, { isNewConversation = false, isVisitor = true } = {}): Promise<ModelChain> {
      const usable = await resolveConnections(agent.organizationId);
      const id = agent.model ?? (await chooseDefault(usable));
      const announce = isNewConversation && id !== DEMO;
      const given = { usable, isVisitor, announce, namedDefault, settings, modelSettings, fileRoom, log };
      const candidates = await listCandidates(agent, id, given);
      const chain = createModelChain(candidates, {
        organizationId: agent.organizationId,
        circuits,
        onChangeover: changeovers.add,
      });
      // Throws the problem when no model can be asked, before anything is stored.
      void chain.model;
      return chain;
    },
    /** How often replies have changed over in this process, by the names of the providers. */
    changeovers: changeovers.list,
    /** The rules for ids of models that an agent names. */
    async modelRules(organizationId: string) {
      const own = await settings.get(organizationId);
      return createModelRules([...new Set([...builtInNames, ...environment.keys(), ...own.keys()])]);
    },
    /** The id with its provider. A bare name belongs to the provider that would be asked for it. */
    toFullId(id: string): string {
      const { provider, name } = parseModelId(id, namedDefault);
      return provider === undefined ? id : `${provider}/${name}`;
    },
    /** The display name of a provider. A server is displayed by its own name. */
    labelOf: (name: ProviderName): string => (isBuiltIn(name) ? providers[name].label : name),
    /**
     * Returns the providers that the organization can use, the default model, the given model ids that belong to none
     * of the providers, and the models that have rejected tools. `withoutDefault` lists the providers when none of them
     * has a model to be the default.
     */
    async survey(organizationId: string, modelIds: ReadonlyArray<string | null>) {
      const usable = await resolveConnections(organizationId);
      const defaultModelId = await chooseDefault(usable);
      const ids = modelIds.map((id) => id ?? defaultModelId);
      const isAnswered = (id: string) => {
        const { provider } = parseModelId(id, namedDefault);
        return usable.size === 0 || id === DEMO || (provider !== undefined && usable.has(provider));
      };
      const hasRefusedTools = (id: string) => {
        const { provider, name } = parseModelId(id, namedDefault);
        const connection = provider && usable.get(provider);
        if (!connection) return false;
        return refusesTools(organizationId, { provider: connection.kind, modelId: name, baseUrl: connection.baseUrl });
      };
      return {
        labels: [...usable.keys()].map((name) => (isBuiltIn(name) ? providers[name].label : name)),
        defaultModelId,
        withoutDefault: defaultModelId === DEMO && defaultModel === null ? [...usable.keys()] : [],
        unanswered: ids.filter((id) => !isAnswered(id)),
        withoutTools: ids.filter(hasRefusedTools),
      };
    },
    /**
     * Tests the given access to a provider, or with null the organization's current access.
     * @returns the problem, or null when the provider works, with what was sent and received
     * @throws 404 when there is no current access
     */
    async test(
      organizationId: string,
      name: ProviderName,
      {
        access: given,
        model,
        sendMessage,
      }: { access: ProviderAccess | null; model: string | null; sendMessage: boolean },
    ): Promise<ProviderTestResult> {
      const own = given ?? (await settings.get(organizationId)).get(name);
      const access = own ?? environment.get(name);
      const connection = access && resolveConnection(organizationId, { access, isOwn: own !== undefined });
      if (!connection) throw notFound("Model provider setting");
      const isHidden = !own && access.baseUrl !== null;
      const provider = { ...providers[access.kind], name };
      return testProvider(provider, connection, { organizationId, model, isHidden, sendMessage });
    },
    /**
     * Lists the models that the organization can use, as reported by the providers. For a provider that fails, only its
     * default model is listed.
     */
    async list(organizationId: string): Promise<ModelInfo[]> {
      const usable = await resolveConnections(organizationId);
      const lists = await Promise.all(
        [...usable].map(async ([provider, connection]) => {
          const { defaultModel: wellKnown } = providers[connection.kind];
          const names = await listNames(connection).catch((error) => {
            log.warn({ err: error, provider }, "the provider's models cannot be listed");
            return wellKnown ? [wellKnown] : [];
          });
          if (!wellKnown) listed.remember(provider, connection, names);
          return names.map((name) => ({ id: `${provider}/${name}`, provider, name }));
        }),
      );
      const defaultId = await chooseDefault(usable);
      const demo = { id: DEMO, provider: "foyer", name: "Demo (no AI)" };
      return [demo, ...lists.flat()].map((model) => ({ ...model, isDefault: model.id === defaultId }));
    },
  };
}

/** The room for the pictures and files of requests that are being sent, in KiB. */
function createFileRoom(bytes: number): FairPool {
  const size = Math.ceil(bytes / 1_024);
  return createFairPool({
    name: "model_files",
    size,
    maxPerOwner: size || Number.POSITIVE_INFINITY,
    // Most servers have one organization, which can use three quarters.
    freeFactor: 3,
    maxPerAddress: Math.floor(size / 2),
    maxWaitingPerOwner: 200,
  });
}

function createEmbeddingModels(
  connections: (organizationId: string) => Promise<Connections>,
  settings: ModelOptions["settings"],
) {
  return {
    /**
     * The embedding model with this id, such as `openai/text-embedding-3-small`.
     * @throws 503 MODEL_NOT_CONFIGURED when its provider is not configured or has no embeddings
     */
    async embedder(organizationId: string, id: string): Promise<Embedder> {
      const { provider, name } = parseModelId(id, "");
      const connection = provider && (await connections(organizationId)).get(provider);
      const format = connection && providers[connection.kind].embeddings?.format;
      if (!id.includes("/") || !connection || !format || !isModelName(name)) {
        throw new AppError("MODEL_NOT_CONFIGURED", `The embedding model ${id} is not configured on this server.`);
      }
      const isOperatorPaid = !(await settings.get(organizationId)).has(provider);
      return createEmbedder({ connection, format, name, isOperatorPaid });
    },
    /** Lists embedding models of the providers that the organization can use. Other models can be used by their id. */
    async suggestedEmbeddings(organizationId: string): Promise<string[]> {
      const usable = [...(await connections(organizationId))];
      return usable.flatMap(([provider, { kind }]) =>
        (providers[kind].embeddings?.suggested ?? []).map((name) => `${provider}/${name}`),
      );
    },
  };
}

type CandidateOptions = {
  usable: Connections;
  isVisitor: boolean;
  namedDefault: string;
  fileRoom: FairPool;
} & Pick<ModelOptions, "settings" | "modelSettings" | "log">;

/** The agent's own model with this id, or the demo when no provider is usable, and then its fallback models. */
async function listCandidates(
  agent: ModelAgent,
  id: string,
  { announce, ...given }: CandidateOptions & { announce: boolean },
): Promise<[Candidate, ...Candidate[]]> {
  const isDemo = id === DEMO || given.usable.size === 0;
  const own: Candidate = isDemo
    ? { id: DEMO, model: toChosenModel(createDemoModel({ modelId: DEMO, announce }), null) }
    : await findCandidate(agent, id, given);
  const fallbackIds: string[] = isDemo ? [] : JSON.parse(agent.fallbackModels);
  return [own, ...(await Promise.all(fallbackIds.map((other) => findCandidate(agent, other, given))))];
}

async function findCandidate(agent: ModelAgent, id: string, given: CandidateOptions): Promise<Candidate> {
  const { usable, isVisitor, namedDefault, settings, modelSettings, fileRoom, log } = given;
  if (id === DEMO) return { id, model: toChosenModel(createDemoModel({ modelId: DEMO, announce: false }), null) };
  const { provider, name } = parseModelId(id, namedDefault);
  const connection = provider && usable.get(provider);
  if (!provider || !connection || !isModelName(name)) {
    log.warn({ agentId: agent.id, model: id }, "an agent's model is not configured");
    const model = isVisitor ? "The agent's model" : `The model ${id}`;
    return { id, problem: new AppError("MODEL_NOT_CONFIGURED", `${model} is not configured on this server.`) };
  }
  const isOperatorPaid = !(await settings.get(agent.organizationId)).has(provider);
  const connected = await providers[connection.kind].connect(connection, name);
  const fullId = `${provider}/${name}`;
  return {
    id: fullId,
    model: {
      ...toChosenModel(connected, { provider, connection, isOperatorPaid }),
      fileRoom,
      readVision: () => modelSettings.vision(agent.organizationId, fullId),
    },
  };
}

/** Counts changeovers for the metrics. */
function createChangeoverCounts() {
  const counts = new Map<string, { from: string; to: string; reason: string; count: number }>();
  return {
    add({ from, to, reason }: Changeover): void {
      const labels = { from: providerOf(from.id) ?? from.id, to: providerOf(to.id) ?? to.id, reason };
      const key = JSON.stringify(labels);
      counts.set(key, { ...labels, count: (counts.get(key)?.count ?? 0) + 1 });
    },
    list: () => [...counts.values()],
  };
}

type Connections = ReadonlyMap<ProviderName, Connection>;

/** The default model of the first configured provider, or only the provider's prefix when it has no well-known one. */
function findFirstDefault(configured: ReadonlyMap<ProviderName, unknown>): string {
  const names = builtInNames.filter((known) => configured.has(known));
  const name = names.find((known) => providers[known].defaultModel) ?? names[0] ?? [...configured.keys()][0];
  if (name === undefined) return DEMO;
  return `${name}/${isBuiltIn(name) ? (providers[name].defaultModel ?? "") : ""}`;
}

/** Some providers' URLs contain the name, so it must not have segments or characters that change a URL's path. */
function isModelName(name: string): boolean {
  return /^[\w.:@+-]+(\/[\w.:@+-]+)*$/.test(name) && !name.includes("..");
}

export type ModelRules = ReturnType<typeof createModelRules>;

/** @param names the built-in providers, with or without a key, and the servers of the organization and the environment */
function createModelRules(names: readonly ProviderName[]) {
  const hasProvider = (id: string) => {
    const provider = providerOf(id);
    return provider !== null && names.includes(provider) && isModelName(id.slice(provider.length + 1));
  };
  return {
    /** Whether the id is that of the demo, or of a model whose provider exists here. */
    isKnown: (id: string) => id === DEMO || hasProvider(id),
    /** Why the id cannot be that of a fallback model, or null. */
    fallbackProblem: (id: string) =>
      hasProvider(id) ? null : `must be a provider, a slash and a model. The providers are ${names.join(", ")}`,
  };
}

function toChosenModel(
  model: ChatModel,
  by: { provider: ProviderName; connection: Connection; isOperatorPaid: boolean } | null,
): ChosenModel {
  const { provider, modelId } = model;
  // Pass the methods on bound to the model, because the AI SDK's models are class instances.
  const stream = "streamTo" in model ? { streamTo: model.streamTo } : { doStream: model.doStream.bind(model) };
  return {
    provider,
    modelId,
    ...stream,
    ...(model.readsFile ? { readsFile: model.readsFile } : {}),
    source: by && { provider: by.provider, apiKey: by.connection.apiKey, baseUrl: by.connection.baseUrl },
    isOperatorPaid: by?.isOperatorPaid ?? false,
  };
}

/**
 * `openai/gpt-5` is split at the slash. A bare name is matched by its prefix, or belongs to the default model's
 * provider.
 */
function parseModelId(id: string, defaultModelId: string): { provider: ProviderName | undefined; name: string } {
  const given = providerOf(id);
  if (given !== null) return { provider: given, name: id.slice(given.length + 1) };
  const byPrefix = builtInNames.find((name) => providers[name].prefix?.test(id));
  return { provider: byPrefix ?? providerOf(defaultModelId) ?? undefined, name: id };
}

function withDefaultPath(baseUrl: string, { defaultPath, alternatePath }: Provider) {
  const { origin, pathname } = new URL(baseUrl);
  return pathname === "/" || pathname === alternatePath ? origin + defaultPath : baseUrl;
}

async function listNames({ kind, apiKey, baseUrl, trust, organizationId, outbound }: Connection): Promise<string[]> {
  const { models } = providers[kind];
  if (models === null) return [];
  const { status, body } = await outbound.request({
    url: baseUrl + models.path,
    method: "GET",
    headers: apiKey ? models.headers(apiKey) : {},
    trust,
    organizationId,
    timeoutMs: LIST_TIMEOUT_MS,
    maxBytes: LIST_MAX_BYTES,
  });
  if (status !== 200) throw new Error(`The provider answered the request for its models with HTTP ${status}.`);
  return models.names(JSON.parse(body.toString("utf8")));
}
