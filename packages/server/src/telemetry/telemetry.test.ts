import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startModelServer } from "../../../../test/model-server.ts";
import { type OtlpCollector, startOtlpCollector, type TraceExport } from "../../../../test/otlp-collector.ts";
import { holdRefusedPort } from "../../../../test/refused-port.ts";
import { callThenSay, sayWords } from "../../../../test/upstream.ts";
import { Problems } from "../config-values.ts";
import type { RecordedReply } from "./reply-spans.ts";
import { createTelemetry, type Telemetry } from "./telemetry.ts";
import { readTelemetry } from "./telemetry-environment.ts";

const model = "openai-compatible/gpt-bike";
const silentLog = pino({ level: "silent" });
const toolSchema = { type: "object", properties: { size: { type: "string" } } };

/** A reply of one step. */
const reply: RecordedReply = {
  agent: { id: "agent_1", organizationId: "org_1", name: "Harbour", temperature: 30, maxOutputTokens: null },
  model,
  conversationId: "conv_1",
  messageId: "msg_1",
  startedAt: 1_000,
  endedAt: 2_000,
  stopReason: "end_turn",
  errorCode: null,
  question: "How many are left?",
  answer: "Four.",
  steps: [
    {
      step: {
        kind: "model",
        name: "reply",
        provider: "openai-compatible",
        model,
        startedAt: 1_000,
        firstTokenMs: 100,
        durationMs: 500,
        inputTokens: 12,
        cachedInputTokens: 0,
        outputTokens: 3,
        reasoningTokens: 0,
        cacheWriteTokens: 0,
        retries: 0,
        fallbackFrom: null,
        stopReason: "end_turn",
        status: "ok",
        bytes: null,
        promptInstructions: 10,
        promptDocuments: 0,
        promptTools: 0,
        promptHistory: 10,
      },
      texts: {
        kind: "model",
        prompt: [{ role: "user", content: [{ type: "text", text: `How many ${"bikes ".repeat(2_000)}are left?` }] }],
        output: [{ type: "text", text: "Four." }],
      },
    },
  ],
};

/** A server that exports to this address, with an agent that has a tool. */
async function startTracedServer(endpoint: string, environment: Record<string, string> = {}) {
  const host = await startModelServer((url) => ({
    OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    ...environment,
  }));
  const agentId = await host.createAgent(model);
  await host.addTool(agentId, "stock", "There are 4 bikes in the cellar.", toolSchema);
  return { ...host, agentId };
}

/** Asks for something that needs the tool, stops the server, and returns what the collector has received. */
async function traceReply(collector: OtlpCollector, environment: Record<string, string> = {}): Promise<TraceExport[]> {
  const host = await startTracedServer(collector.url, environment);
  host.upstream.script(callThenSay("stock", { size: "L" }, "We have four."));
  await host.ask(host.agentId, "How many are left?");
  await host.stop();
  return collector.exports;
}

describe.each(["http/protobuf", "http/json"])("a trace over %s", (protocol) => {
  let collector: OtlpCollector;
  let sent: TraceExport;
  const span = (name: string) => sent.spans.find((one) => one.name === name);

  beforeAll(async () => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=bikes");
    vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test");
    collector = await startOtlpCollector();
    await traceReply(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    sent = collector.exports[0] as TraceExport;
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await collector.stop();
  });

  it("is sent to /v1/traces", () => {
    expect(sent.path).toBe("/v1/traces");
  });
  it("has the protocol's content type", () => {
    const type = protocol === "http/json" ? "application/json" : "application/x-protobuf";
    expect(sent.headers["content-type"]).toBe(type);
  });
  it("has the headers of OTEL_EXPORTER_OTLP_HEADERS", () => {
    expect(sent.headers["x-team"]).toBe("bikes");
  });
  it("names the service foyer and has the attributes of OTEL_RESOURCE_ATTRIBUTES", () => {
    expect(sent.resource).toMatchObject({ "service.name": "foyer", "deployment.environment.name": "test" });
  });
  it("has a span for the agent, each call of the model, and the call of the tool", () => {
    expect(sent.spans.map(({ name }) => name).sort()).toEqual([
      "chat gpt-bike",
      "chat gpt-bike",
      "execute_tool stock",
      "invoke_agent Harbour",
    ]);
  });
  it("has one trace id", () => {
    expect(new Set(sent.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });
  it("has the agent's span as the parent of the others", () => {
    const root = span("invoke_agent Harbour");
    expect(sent.spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)).toHaveLength(3);
  });
  it("describes the agent by the GenAI conventions", () => {
    expect(span("invoke_agent Harbour")).toMatchObject({
      kind: 1,
      parentSpanId: "",
      status: 0,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Harbour",
        "gen_ai.agent.id": expect.stringMatching(/^agent_/),
        "gen_ai.conversation.id": expect.stringMatching(/^conv_/),
        "gen_ai.provider.name": "openai-compatible",
        "gen_ai.request.model": "gpt-bike",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 1,
      },
    });
  });
  it("describes a call of the model by the GenAI conventions", () => {
    expect(sent.spans.findLast(({ name }) => name === "chat gpt-bike")).toMatchObject({
      kind: 3,
      status: 0,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-bike",
        "gen_ai.request.temperature": 0.3,
        "gen_ai.request.stream": true,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 1,
        "foyer.step.status": "ok",
      },
    });
  });
  it("describes the call of a tool by the GenAI conventions", () => {
    expect(span("execute_tool stock")).toMatchObject({
      kind: 1,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "stock",
        "gen_ai.tool.type": "function",
        "foyer.tool.result_bytes": 32,
      },
    });
  });
  it("lets every step begin and end within the agent's span", () => {
    const root = span("invoke_agent Harbour") as (typeof sent.spans)[number];
    const outside = sent.spans.filter(
      ({ startedAt, endedAt }) => startedAt < root.startedAt || endedAt > root.endedAt || endedAt < startedAt,
    );
    expect(outside).toEqual([]);
  });
  it.each(["How many", "four", "cellar", "You sell", '"L"'])("does not contain the text %j", (text) => {
    expect(JSON.stringify(sent.spans)).not.toContain(text);
  });
});

describe("texts", () => {
  let collector: OtlpCollector;
  let spans: TraceExport["spans"];
  const attribute = (name: string, key: string) =>
    String(spans.findLast((span) => span.name === name)?.attributes[key] ?? "null");

  beforeAll(async () => {
    collector = await startOtlpCollector();
    await traceReply(collector, { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
    spans = collector.spans();
  });
  afterAll(() => collector.stop());

  it("contain the instructions", () => {
    expect(JSON.parse(attribute("chat gpt-bike", "gen_ai.system_instructions"))).toEqual([
      { type: "text", content: expect.stringContaining("You sell bikes.") },
    ]);
  });
  it("contain the messages of the prompt", () => {
    expect(JSON.parse(attribute("chat gpt-bike", "gen_ai.input.messages"))).toEqual([
      { role: "user", parts: [{ type: "text", content: expect.stringContaining("How many are left?") }] },
      { role: "assistant", parts: [{ type: "tool_call", id: "call_0", name: "stock", arguments: '{"size":"L"}' }] },
      {
        role: "tool",
        parts: [{ type: "tool_call_response", id: "call_0", response: expect.stringContaining("cellar") }],
      },
    ]);
  });
  it("contain the output of the model", () => {
    expect(JSON.parse(attribute("chat gpt-bike", "gen_ai.output.messages"))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "We have four." }], finish_reason: "stop" },
    ]);
  });
  it("contain the arguments of a tool", () => {
    expect(attribute("execute_tool stock", "gen_ai.tool.call.arguments")).toBe('{"size":"L"}');
  });
  it("contain the result of a tool", () => {
    expect(attribute("execute_tool stock", "gen_ai.tool.call.result")).toContain("cellar");
  });
  it("contain the question and the answer in the agent's span", () => {
    expect(JSON.parse(attribute("invoke_agent Harbour", "gen_ai.output.messages"))).toEqual([
      { role: "assistant", parts: [{ type: "text", content: "We have four." }] },
    ]);
  });
});

/** Exports replies in the process of the test, without a server. */
function createSender(environment: Record<string, string>) {
  const problems = new Problems();
  const telemetry = createTelemetry(readTelemetry(environment, problems), silentLog);
  problems.throwIfAny();
  return telemetry;
}

describe.each(["1", "yes", "SPAN_ONLY"])("with %j as the variable for texts", (value) => {
  it("exports no texts", async () => {
    const collector = await startOtlpCollector();
    const telemetry = createSender({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value,
    });
    telemetry.recordReply(reply);
    await telemetry.close();
    await collector.stop();
    expect(JSON.stringify(collector.exports)).not.toContain("How many");
  });
});

it.each([
  [{ OTEL_TRACES_SAMPLER: "always_off" }, 0],
  [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, 0],
  [{ OTEL_TRACES_SAMPLER: "always_on" }, 2],
  [{ OTEL_TRACES_SAMPLER: "parentbased_always_on" }, 2],
  [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, 0],
  [{ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "1" }, 2],
  [{ OTEL_SDK_DISABLED: "true" }, 0],
  [{ OTEL_TRACES_EXPORTER: "none" }, 0],
] as Array<[Record<string, string>, number]>)("with %j exports %i spans of a reply", async (environment, count) => {
  const collector = await startOtlpCollector();
  const telemetry = createSender({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment });
  telemetry.recordReply(reply);
  await telemetry.close();
  await collector.stop();
  expect(collector.spans()).toHaveLength(count);
});

it("sends traces to OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as it is", async () => {
  const collector = await startOtlpCollector();
  const telemetry = createSender({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/traces` });
  telemetry.recordReply(reply);
  await telemetry.close();
  await collector.stop();
  expect(collector.exports[0]?.path).toBe("/traces");
});

describe("a collector that refuses", () => {
  it("is counted", async () => {
    const collector = await startOtlpCollector((response) => response.writeHead(401).end());
    const telemetry = createSender({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    telemetry.recordReply(reply);
    await telemetry.close();
    await collector.stop();
    expect(telemetry.counts()).toEqual({ exported: 0, failed: 2, dropped: 0 });
  });
});

describe("replies that come faster than the collector takes them", () => {
  const many = 5_000;
  let collector: OtlpCollector;
  let telemetry: Telemetry;
  const record = async (texts: Record<string, string>) => {
    telemetry = createSender({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...texts });
    for (let count = 0; count < many; count++) telemetry.recordReply(reply);
    await collector.firstExport();
  };
  const waiting = () => 2 * many - telemetry.counts().dropped;

  beforeEach(async () => {
    collector = await startOtlpCollector(() => {});
  });
  afterEach(async () => {
    await collector.stop();
    await telemetry.close();
  });

  it("are dropped beyond the memory for waiting spans", async () => {
    await record({});
    expect(waiting()).toBeLessThanOrEqual(2_500_000 / 3_000);
  });
  it("are dropped earlier when their spans contain texts", async () => {
    await record({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" });
    // The prompt has 10,000 characters.
    expect(waiting()).toBeLessThanOrEqual(2 * (2_500_000 / 20_000));
  });
  it("are dropped whole", async () => {
    await record({});
    expect(waiting() % 2).toBe(0);
  });
});

describe("a reply that fails", () => {
  it("has the error's type in the spans of the agent and of the model", async () => {
    const collector = await startOtlpCollector();
    const host = await startTracedServer(collector.url);
    host.upstream.script(({ response }) => response.writeHead(400).end("{}"));
    const stream = await host.open(host.agentId, "Hello?");
    await stream.ended;
    await host.stop();
    await collector.stop();
    expect(collector.spans().map(({ name, status, attributes }) => [name, status, attributes["error.type"]])).toEqual([
      ["chat gpt-bike", 2, "error"],
      ["invoke_agent Harbour", 2, "MODEL_REFUSED"],
    ]);
  });
});

describe("a collector that does not answer", () => {
  let collector: OtlpCollector;
  let host: Awaited<ReturnType<typeof startTracedServer>>;

  beforeAll(async () => {
    collector = await startOtlpCollector(() => {});
    host = await startTracedServer(collector.url);
    host.upstream.script(sayWords("We", " have", " four."));
  });
  afterAll(() => collector.stop());

  it("delays no reply", async () => {
    // The first batch is sent when it is full, so the rest of the replies run while the collector hangs.
    for (let sent = 0; sent < 33; sent++) await host.ask(host.agentId, "How many are left?");
    await collector.firstExport();
    const reply = await host.ask(host.agentId, "How many are left?");
    expect(reply.text).toBe("We have four.");
  });
  it("lets the server stop", async () => {
    await expect(host.stop()).resolves.toBeUndefined();
  });
});

it("answers while nothing listens at the collector's address", async () => {
  const refused = await holdRefusedPort();
  const host = await startTracedServer(`http://127.0.0.1:${refused.port}`);
  host.upstream.script(sayWords("We", " have", " four."));
  const reply = await host.ask(host.agentId, "How many are left?");
  await host.stop();
  refused.release();
  expect(reply.text).toBe("We have four.");
});

it("loads no package of OpenTelemetry without a collector", async () => {
  const load = vi.fn();
  vi.doMock("./trace-sender.ts", load);
  const telemetry = createSender({});
  telemetry.recordReply(reply);
  await telemetry.close();
  vi.doUnmock("./trace-sender.ts");
  expect(load).not.toHaveBeenCalled();
});
