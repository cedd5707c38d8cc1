import type { Display, FormSchema, ToolTest, VisitorForm } from "@foyer/contract";
import { defaultFormTexts } from "@foyer/contract/rules/form-texts";
import type { AgentService } from "../agents/agent-service.ts";
import type { ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { hasRemoteImages, keepImagesFrom } from "./display-images.ts";
import { displayOf } from "./display-result.ts";
import { inputProblem } from "./input-schema.ts";
import { runHttpTool } from "./run-http-tool.ts";
import type { SecretService } from "./secret-service.ts";
import { displayConfigOf } from "./tool-columns.ts";
import { failure } from "./tool-outcome.ts";

/** What came of a tool call: for the visitor, and (`forModel`) in the words that the model is told. */
export type ToolOutcome = {
  result: unknown;
  isError: boolean;
  displayConfig: unknown;
  display: unknown;
  form?: VisitorForm;
  forModel: string;
};

type Input = Record<string, unknown>;
type Ran = { outcome: ToolOutcome; problem?: string } & Partial<Pick<ToolTest, "request" | "response">>;

export type ToolRunner = ReturnType<typeof createToolRunner>;

/** Runs tools. A failure is an outcome, which the model is told; only what the database throws is thrown. */
export function createToolRunner(
  { outbound }: Pick<Deps, "outbound">,
  agents: Pick<AgentService, "get">,
  secrets: SecretService,
) {
  async function run(tool: ToolRow, input: unknown, signal?: AbortSignal): Promise<Ran> {
    const problem = inputProblem(tool.inputSchema, input);
    if (problem !== null) return { outcome: failure(`The input does not fit: ${problem}.`) };
    switch (tool.executionType) {
      case "mock":
        return { outcome: await shown(tool, readMock(tool.mockResponse ?? ""), tool.mockResponse ?? "") };
      case "form":
        return { outcome: formShown(tool, input as Input) };
      case "http":
        return runHttp(tool, input as Input, signal);
    }
  }

  async function runHttp(tool: ToolRow, input: Input, signal?: AbortSignal): Promise<Ran> {
    const secretFor = (name: string, host: string) => secrets.valueFor(tool.organizationId, name, host);
    const answer = await runHttpTool(tool, input, { outbound, secretFor, ...(signal ? { signal } : {}) });
    const { result, forModel, request, response } = answer;
    const outcome = answer.isError ? { ...failure(String(result)), forModel } : await shown(tool, result, forModel);
    return { outcome, request, response, ...(answer.problem ? { problem: answer.problem } : {}) };
  }

  /** Visitors get what the display maps, and the whole result only as `text`. */
  async function shown(tool: ToolRow, result: unknown, forModel: string): Promise<ToolOutcome> {
    const displayConfig = displayConfigOf(tool);
    const display = await withAllowedImages(tool, displayOf(result, displayConfig));
    const isWhole = display.type === "text" && !displayConfig?.fieldMappings?.text;
    return { result: isWhole ? result : display.slots, isError: false, displayConfig, display, forModel };
  }

  async function withAllowedImages({ organizationId, agentId }: ToolRow, display: Display): Promise<Display> {
    if (!hasRemoteImages(display)) return display;
    const { allowedImageHosts } = await agents.get(organizationId, agentId);
    return keepImagesFrom(display, allowedImageHosts);
  }

  return {
    /** `problem` is for the tool's maker: what went wrong, exactly. */
    async run(tool: ToolRow, input: unknown, signal: AbortSignal) {
      const { outcome, problem } = await run(tool, input, signal);
      return { outcome, problem: problemOf(outcome, problem) };
    },
    /** For the tool's maker, who may know more than a visitor. */
    async test(tool: ToolRow, input: Input): Promise<ToolTest> {
      const startedAt = performance.now();
      const { outcome, problem, request = null, response = null } = await run(tool, input);
      const { result, display, form, isError, forModel } = outcome;
      return {
        isError,
        forModel,
        problem: problemOf(outcome, problem),
        forVisitor: { result, display, ...(form ? { form } : {}) },
        durationMs: Math.round(performance.now() - startedAt),
        request,
        response,
      };
    },
  };
}

function problemOf({ isError, forModel }: ToolOutcome, problem: string | undefined): string | null {
  return problem ?? (isError ? forModel : null);
}

/** A mock's response is text; what is JSON can be mapped to a display like any other result. */
function readMock(response: string): unknown {
  if (!/^\s*[[{]/.test(response)) return response;
  try {
    return JSON.parse(response);
  } catch {
    return response;
  }
}

function formShown(tool: ToolRow, input: Input): ToolOutcome {
  const form = toVisitorForm(tool, input);
  const forModel = "The form was shown to the visitor, who may fill it in now. Do not ask for its fields in the chat.";
  const displayConfig = displayConfigOf(tool);
  const display = { type: "form", slots: {}, options: {} };
  return { result: null, isError: false, displayConfig, display, form, forModel };
}

/** The form as a visitor gets it, with defaults from the call's input where the names match. */
export function toVisitorForm(tool: ToolRow, input: Input = {}): VisitorForm {
  const formSchema: FormSchema = tool.formSchema ? JSON.parse(tool.formSchema) : { fields: [] };
  const fields = formSchema.fields.map((field) => {
    const given = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    const isFile = field.type === "file" || field.type === "image";
    return isFile || !isScalar(given) ? field : { ...field, defaultValue: String(given) };
  });
  return {
    toolId: tool.id,
    toolName: tool.name,
    formSchema: { ...defaultFormTexts, ...formSchema, fields },
    executionMode: tool.formExecutionMode ?? "webhook",
    clientHandler: tool.formClientHandler,
  };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
