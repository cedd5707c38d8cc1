/**
 * What real providers refuse, by format. Each function returns the provider's refusal of a request, or null. The address
 * beside a rule is the report or the page that documents it.
 */
export type Refuse = (body: never) => string | null;

type Json = Record<string, unknown>;
type Call = { id: string; function: { name: string; arguments: string } };
type ChatMessage = { role: string; content?: unknown; tool_calls?: Call[]; tool_call_id?: string };
type ChatBody = {
  messages: ChatMessage[];
  tools?: Array<{ function: { name: string; description?: string; parameters: Json } }>;
};
type Block = {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
};
type AnthropicBody = {
  system?: Block[];
  messages: Array<{ role: string; content: Block[] }>;
  tools?: Array<{ name: string; input_schema: Json }>;
};
type GeminiPart = {
  text?: string;
  functionCall?: { name: string; args: unknown };
  functionResponse?: { name: string; response: unknown };
};
type GeminiBody = {
  contents: Array<{ role: string; parts: GeminiPart[] }>;
  tools?: Array<{ functionDeclarations: Array<{ name: string; parametersJsonSchema: Json }> }>;
};
type ResponsesItem = {
  type?: string;
  role?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  content?: unknown;
};
type ResponsesBody = {
  input: ResponsesItem[];
  tools?: Array<{ name: string; description?: string; parameters: Json }>;
};

/** The first refusal of the rules, which run in order. */
const firstOf = (...refusals: Array<string | null | undefined | false>) => refusals.find((one) => one) || null;

/** OpenAI's chat completions. */
export function refuseOpenaiChat(body: ChatBody): string | null {
  return firstOf(
    refuseChat(body),
    // https://github.com/vercel/ai/issues/5171
    body.messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => id.length > 40)) &&
      "Expected a string with maximum length 40",
  );
}

/** The rules that all servers of chat completions share. */
function refuseChat({ messages, tools = [] }: ChatBody): string | null {
  return firstOf(
    refuseUnpaired(messages),
    messages.some(({ tool_calls: calls }) =>
      calls?.some(({ function: { name } }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)),
    ) && "Invalid 'messages.tool_calls.function.name': string does not match pattern",
    // https://github.com/getsentry/sentry-mcp/issues/106
    tools.some(({ function: { description } }) => (description?.length ?? 0) > 1_024) &&
      "string too long. Expected a string with maximum length 1024",
    ...tools.map(({ function: { parameters } }) => refuseOpenaiSchema(parameters, true)),
    refuseLoneSurrogate({ messages, tools }),
  );
}

/** https://github.com/spring-projects/spring-ai/issues/4776 and https://github.com/anomalyco/opencode/issues/35516 */
function refuseOpenaiSchema(schema: unknown, isTop = false): string | null {
  if (!isObject(schema)) return `Invalid schema: ${JSON.stringify(schema)} is not of type 'object'`;
  const { type, properties, items } = schema;
  const combined = ["anyOf", "oneOf", "allOf", "enum", "not"].find((keyword) => keyword in schema);
  if (isTop && (type !== "object" || combined))
    return `schema must have type 'object' and not have '${combined}' at the top level`;
  if ([type].flat().includes("object") && !isObject(properties)) return "object schema missing properties";
  if ([type].flat().includes("array") && !isObject(items)) return "array schema missing items";
  if (Array.isArray(schema.enum) && schema.enum.length === 0) return "[] is too short - 'enum'";
  return firstOf(...listSubschemas(schema).map((one) => refuseOpenaiSchema(one)));
}

/** Mistral's API, and every server that runs a model of Mistral with its own tokenizer. */
export function refuseMistral({ messages, tools = [] }: ChatBody): string | null {
  const last = messages.at(-1)?.role;
  return firstOf(
    refuseUnpaired(messages),
    // https://github.com/openclaw/openclaw/issues/7107
    messages.some(({ tool_calls: calls }) => calls?.some(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id))) &&
      "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9.",
    // https://github.com/NousResearch/hermes-agent/issues/20154 and https://github.com/charmbracelet/crush/issues/279
    messages.some(({ role }, index) => role === "user" && messages[index - 1]?.role === "tool") &&
      "Unexpected role 'user' after role 'tool'",
    messages.some(
      ({ role }, index) => role === "tool" && !["tool", "assistant"].includes(messages[index - 1]?.role ?? ""),
    ) && "Unexpected role 'tool' after role 'user'",
    // https://github.com/0xPlaygrounds/rig/pull/1130
    last !== "user" &&
      last !== "tool" &&
      `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last}`,
    // https://github.com/github/copilot-cli/issues/4884
    messages.some(({ content, tool_calls: calls }) => content && calls) &&
      "Assistant message must have either content or tool_calls, but not both.",
    // https://github.com/OpenHands/OpenHands/issues/8685
    messages.some(({ role, content, tool_calls: calls }) => role === "assistant" && !content && !calls) &&
      "Assistant message must have either content or tool_calls, but not none.",
    ...tools.map(({ function: { parameters } }) => refuseOpenaiSchema(parameters, true)),
  );
}

/**
 * vLLM, llama.cpp and Ollama with the chat templates of Llama, Gemma and Mistral.
 * https://github.com/vllm-project/vllm/issues/6862 and https://github.com/suitenumerique/conversations/issues/197
 */
export function refuseChatTemplate(body: ChatBody): string | null {
  const [first, ...rest] = body.messages;
  const turns = (first?.role === "system" ? rest : body.messages).filter(
    ({ role, tool_calls: calls }) => role !== "tool" && !calls,
  );
  return firstOf(
    refuseChat(body),
    turns.some(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant")) &&
      "Conversation roles must alternate user/assistant/user/assistant/...",
    // Templates read the arguments as an object: https://github.com/ggml-org/llama.cpp/issues/13516
    body.messages.some(({ tool_calls: calls }) => calls?.some((call) => !isObject(parse(call.function.arguments)))) &&
      "Can only get item pairs from a mapping.",
  );
}

/** DeepSeek: https://api-docs.deepseek.com/guides/function_calling. It wants a text in every message without calls. */
export function refuseDeepseek(body: ChatBody): string | null {
  return firstOf(
    refuseChat(body),
    body.messages.some(({ content, tool_calls: calls }) => typeof content !== "string" && !calls) &&
      "missing field `content`",
  );
}

/** Kimi: https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md, https://github.com/getkimchi/kimchi/issues/1063 */
export function refuseKimi(body: ChatBody): string | null {
  const calls = body.messages.flatMap((message) => message.tool_calls ?? []);
  return firstOf(
    refuseChat(body),
    calls.some(({ id, function: { name } }) => !id.startsWith(`functions.${name}:`)) &&
      "The model ends its turn without a word.",
    body.messages.some(({ role, content, tool_calls: made }) => role === "assistant" && !content && !made) &&
      "message must not be empty",
  );
}

/** Every call has exactly one result, in the messages directly after it, and every id is used once. */
function refuseUnpaired(messages: ChatMessage[]): string | null {
  const ids = messages.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? []);
  if (new Set(ids).size < ids.length) return "Duplicate value for 'tool_call_id'";
  for (const [index, { role, tool_calls: calls }] of messages.entries()) {
    const following = messages.slice(index + 1);
    const end = following.findIndex((message) => message.role !== "tool");
    const results = following.slice(0, end < 0 ? undefined : end).map((message) => message.tool_call_id);
    if (calls && calls.map(({ id }) => id).join() !== results.join())
      return "Not the same number of function calls and responses";
    const previous = messages[index - 1];
    if (role === "tool" && previous?.role !== "tool" && !previous?.tool_calls) {
      return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    }
  }
  return null;
}

/** OpenAI's Responses API. */
export function refuseResponses({ input, tools = [] }: ResponsesBody): string | null {
  const calls = input.filter(({ type }) => type === "function_call");
  const outputs = input.filter(({ type }) => type === "function_call_output");
  return firstOf(
    // https://github.com/openai/openai-agents-python/issues/673
    calls.some((call) => !outputs.some((output) => output.call_id === call.call_id)) &&
      "No tool output found for function call",
    outputs.some((output) => !calls.some((call) => output.call_id === call.call_id)) &&
      "No tool call found for function call output",
    new Set(calls.map((call) => call.call_id)).size < calls.length && "Duplicate item found with id",
    calls.some((call) => !/^.{1,64}$/.test(call.call_id ?? "")) && "Expected a string with maximum length 64",
    calls.some((call) => !/^[a-zA-Z0-9_-]{1,64}$/.test(call.name ?? "")) &&
      "Invalid 'input.name': string does not match pattern",
    tools.some(({ description }) => (description?.length ?? 0) > 1_024) && "Expected a string with maximum length 1024",
    ...tools.map(({ parameters }) => refuseOpenaiSchema(parameters, true)),
    refuseLoneSurrogate({ input, tools }),
  );
}

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages */
export function refuseAnthropic({ system = [], messages, tools = [] }: AnthropicBody): string | null {
  const blocks = messages.flatMap(({ content }) => content);
  const uses = blocks.filter(({ type }) => type === "tool_use");
  const texts = [...system, ...blocks, ...blocks.flatMap(({ content }) => (Array.isArray(content) ? content : []))];
  return firstOf(
    messages.some(({ role }, index) => role !== (index % 2 === 0 ? "user" : "assistant")) &&
      "messages: roles must alternate between user and assistant",
    // https://github.com/anomalyco/opencode/issues/13768
    messages.at(-1)?.role !== "user" && "This model does not support assistant message prefill.",
    messages.some(({ content }) => content.length === 0) && "messages: at least one message is required",
    // https://github.com/anomalyco/opencode/issues/31259
    texts.some(({ type, text }) => type === "text" && !text?.trim()) &&
      "messages: text content blocks must contain non-whitespace text",
    uses.some(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(id ?? "")) &&
      "messages.content.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    uses.some(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name ?? "")) &&
      "messages.content.tool_use.name: String should match pattern",
    uses.some(({ input }) => !isObject(input)) && "messages.content.tool_use.input: Input should be a valid dictionary",
    new Set(uses.map(({ id }) => id)).size < uses.length && "messages: `tool_use` ids must be unique",
    // https://github.com/anthropics/claude-code/issues/7929
    messages.some(
      ({ content }, index) =>
        !isSameSet(content.flatMap(idOfUse), messages[index + 1]?.content.flatMap(idOfResult) ?? []),
    ) && "messages: `tool_use` ids were found without `tool_result` blocks immediately after",
    // https://github.com/anthropics/anthropic-sdk-python/issues/494
    uses.length > 0 && tools.length === 0 && "Requests which include tool_use or tool_result blocks must define tools.",
    // https://github.com/anthropics/claude-code/issues/40075
    tools.some(({ input_schema: schema }) => ["oneOf", "allOf", "anyOf"].some((keyword) => keyword in schema)) &&
      "input_schema does not support oneOf, allOf, or anyOf at the top level",
    // https://github.com/beautyfree/appstore-connect-mcp/issues/2
    tools.some(({ input_schema: schema }) =>
      listPropertyNames(schema).some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
    ) && "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    // https://json-schema.org/draft/2020-12/release-notes: a list of schemas moved from `items` to `prefixItems`
    tools.some(({ input_schema: schema }) => JSON.stringify(schema).includes('"items":[')) &&
      "JSON schema is invalid. It must match JSON Schema draft 2020-12",
    refuseLoneSurrogate({ system, messages, tools }),
  );
}

const idOfUse = ({ type, id }: Block) => (type === "tool_use" ? [id] : []);
const idOfResult = ({ type, tool_use_id: id }: Block) => (type === "tool_result" ? [id] : []);
const isSameSet = (one: unknown[], other: unknown[]) => one.toSorted().join() === other.toSorted().join();

/** Gemini's generateContent: https://ai.google.dev/api/caching#Content */
export function refuseGemini({ contents, tools = [] }: GeminiBody): string | null {
  const parts = contents.flatMap((content) => content.parts);
  const calls = (index: number) => contents[index]?.parts.filter((part) => part.functionCall).length ?? 0;
  const responses = (index: number) => contents[index]?.parts.filter((part) => part.functionResponse).length ?? 0;
  const declarations = tools.flatMap(({ functionDeclarations }) => functionDeclarations);
  return firstOf(
    contents.some((content) => content.parts.length === 0) && "contents.parts must not be empty.",
    parts.some(({ text }) => text === "") && "contents.parts: contents is not specified",
    contents[0]?.role !== "user" && "Please ensure that multiturn requests start with a user turn",
    contents.at(-1)?.role !== "user" &&
      "Please ensure that multiturn requests end with a user turn or a function response.",
    // https://github.com/microsoft/vscode/issues/299295
    contents.some((_, index) => calls(index) !== responses(index + 1)) &&
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    contents.some(({ role }, index) => role === "model" && calls(index) > 0 && contents[index - 1]?.role !== "user") &&
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    parts.some(({ functionCall: call }) => call && !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(call.name)) &&
      "Invalid function name.",
    parts.some(({ functionCall: call }) => call && !isObject(call.args)) &&
      "Invalid value at 'function_call.args' (type.googleapis.com/google.protobuf.Struct)",
    ...declarations.map(({ parametersJsonSchema: schema }) => refuseGeminiSchema(schema)),
    refuseLoneSurrogate({ contents, tools }),
  );
}

const geminiKeywords = new Set(
  "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
    " ",
  ),
);

/**
 * https://ai.google.dev/api/caching#Schema, https://github.com/ahmadrosid/nakama/issues/292 (unknown keywords) and
 * https://github.com/zed-industries/zed/issues/53919 (lists of types)
 */
function refuseGeminiSchema(schema: unknown): string | null {
  if (!isObject(schema)) return "Invalid value at 'parameters'";
  const { type, enum: choices, required = [], properties = {}, anyOf, format, items } = schema;
  const unknown = Object.keys(schema).find((keyword) => !geminiKeywords.has(keyword));
  const others = Object.keys(schema).filter((keyword) => !["anyOf", "description", "nullable"].includes(keyword));
  return firstOf(
    unknown && `Unknown name "${unknown}": Cannot find field.`,
    Array.isArray(type) && "Proto field is not repeating, cannot start list.",
    anyOf
      ? others.length > 0 && "When using any_of, it must be the only field set."
      : type === undefined && "schema didn't specify the schema type field.",
    type === "null" && "Invalid value at 'type'",
    type === "array" && !isObject(items) && "items: missing field.",
    choices !== undefined &&
      (type !== "string" || (choices as unknown[]).some((one) => typeof one !== "string" || one === "")) &&
      "enum: cannot be empty, only allowed for STRING type",
    type === "string" &&
      format !== undefined &&
      format !== "enum" &&
      format !== "date-time" &&
      "only 'enum' and 'date-time' are supported for STRING type",
    (required as string[]).some((name) => !Object.hasOwn(properties as Json, name)) &&
      "required: property is not defined",
    ...listSubschemas(schema).map(refuseGeminiSchema),
  );
}

/** A lone surrogate is no valid Unicode, and strict parsers of JSON refuse it: https://github.com/anthropics/claude-code/issues/1709 */
function refuseLoneSurrogate(body: object): string | null {
  return /\\ud[89a-f]/i.test(JSON.stringify(body))
    ? "The request body is not valid JSON: no low surrogate in string"
    : null;
}

function listSubschemas(schema: Json): unknown[] {
  const { properties, items, anyOf, oneOf, allOf, additionalProperties: rest } = schema;
  const combined = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...Object.values(isObject(properties) ? properties : {}),
    ...(items === undefined ? [] : [items]),
    ...combined,
    ...(isObject(rest) ? [rest] : []),
  ];
}

function listPropertyNames(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  return [
    ...Object.keys(isObject(schema.properties) ? schema.properties : {}),
    ...listSubschemas(schema).flatMap(listPropertyNames),
  ];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
