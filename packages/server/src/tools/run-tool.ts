import type { Display, FormSchema, ToolTest, VerifiedVisitor, VisitorForm } from "@foyer/contract";
import { hasRemoteImages, keepImagesFrom } from "@foyer/contract/rules/display-images";
import { holdsFile } from "@foyer/contract/rules/field-types";
import { displayForVisitorAlone, fillDisplay } from "@foyer/contract/rules/fill-display";
import { defaultFormTexts } from "@foyer/contract/rules/form-texts";
import { signVisitorToken } from "../agents/identity/user-token.ts";
import type { AgentService } from "../agents/service.ts";
import type { ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { isScalar, parseExactJson, toSafeNumbers, toScalarText } from "../exact-json.ts";
import { parseDisplayConfig } from "./columns.ts";
import { runHttpTool } from "./http/run-http-tool.ts";
import { quoteResult } from "./quoted-data.ts";
import { inputProblem } from "./schema/input-schema.ts";
import type { SecretService } from "./secrets/service.ts";
import { failure, type ToolOutcome } from "./tool-outcome.ts";
import type { TurnContext } from "./turn-context.ts";

type Input = Record<string, unknown>;
type ToolCallScope = { context: TurnContext; signal?: AbortSignal; runInPage?: RunInPage };
/** `result` and `warnings` are for members: the whole result, and what the display leaves out. */
type Ran = { outcome: ToolOutcome; problem?: string; result?: unknown; warnings?: string[] } & Partial<
  Pick<ToolTest, "request" | "response">
>;

/** Lets the visitor's page run a call, and waits for the result. Never rejects. */
export type RunInPage = (toolId: string) => Promise<ClientToolAnswer>;
export type ClientToolAnswer = { result: unknown } | { error: string };

export type ToolRunner = ReturnType<typeof createToolRunner>;

/** Runs tools. Failures are outcomes that the model reads; only database errors are thrown. */
export function createToolRunner(
  { outbound }: Pick<Deps, "outbound">,
  agents: Pick<AgentService, "get" | "identitySecret">,
  secrets: SecretService,
) {
  async function run(tool: ToolRow, input: unknown, scope: ToolCallScope): Promise<Ran> {
    const problem = inputProblem(tool.inputSchema, input);
    if (problem !== null) return { outcome: failure(`The input is not valid: ${problem}.`) };
    switch (tool.executionType) {
      case "mock":
        return showResult(tool, readMock(tool.mockResponse ?? ""), tool.mockResponse ?? "");
      case "form":
        return { outcome: showForm(tool, input as Input) };
      case "http":
        return runHttp(tool, input as Input, scope);
      case "client":
        return scope.runInPage
          ? runClient(tool, scope.runInPage)
          : { outcome: failure("This tool runs in the visitor's page.") };
    }
  }

  async function runClient(tool: ToolRow, runInPage: RunInPage): Promise<Ran> {
    const answer = await runInPage(tool.id);
    if ("error" in answer) return { outcome: { ...failure(answer.error), forModel: quoteResult(answer) } };
    return showResult(tool, answer.result, quoteResult(answer.result));
  }

  async function runHttp(tool: ToolRow, input: Input, { context, signal }: ToolCallScope): Promise<Ran> {
    const mayUseUnbound = tool.mayUseUnboundSecrets === 1;
    const secretFor = (name: string, host: string) =>
      secrets.valueFor(tool.organizationId, name, { host, mayUseUnbound });
    const visitorTokenFor = (host: string) => createVisitorToken(tool, context, { host, agents });
    const deps = { outbound, secretFor, context, visitorTokenFor, signal };
    const answer = await runHttpTool(tool, input, deps);
    const { result, forModel, request, response } = answer;
    const ran: Ran = answer.isError
      ? { outcome: { ...failure(String(result)), ...(tool.resultFor === "visitor" ? {} : { forModel }) } }
      : await showResult(tool, result, forModel);
    return { ...ran, request, response, ...(answer.problem ? { problem: answer.problem } : {}) };
  }

  /** Visitors receive only what the display maps. They receive the whole result only with the display type `text`. */
  async function showResult(tool: ToolRow, result: unknown, forModel: string): Promise<Ran> {
    if (tool.resultFor === "model") return { outcome: hideResult(forModel), result };
    const told = tool.resultFor === "visitor" ? shownOnly : forModel;
    const { displayConfig, filled, warnings } = displayIn(tool, result);
    const display = await withAllowedImages(tool, filled);
    if (display !== filled)
      warnings.push("image left out, because its host is not one of the agent's allowed image hosts");
    const isWhole = display.type === "text" && !displayConfig?.fieldMappings?.text;
    const shownResult = isWhole ? toSafeNumbers(result) : display.slots;
    const outcome = { result: shownResult, isError: false, displayConfig, display, forModel: told };
    return { outcome, result, warnings };
  }

  /** Returns the same object when no image is removed. */
  async function withAllowedImages({ organizationId, agentId }: ToolRow, display: Display): Promise<Display> {
    if (!hasRemoteImages(display)) return display;
    const { allowedImageHosts } = await agents.get(organizationId, agentId);
    const kept = keepImagesFrom(display, allowedImageHosts);
    return JSON.stringify(kept) === JSON.stringify(display) ? display : kept;
  }

  return {
    /** `problem` is the exact error message for members. */
    async run(tool: ToolRow, input: unknown, scope: ToolCallScope) {
      const { outcome, problem } = await run(tool, input, scope);
      return { outcome, problem: findProblem(outcome, problem) };
    },
    /** For members, who may see more than visitors. */
    async test(tool: ToolRow, input: Input, visitor: VerifiedVisitor | null): Promise<ToolTest> {
      const startedAt = performance.now();
      const context = { visitor, conversation: { id: "conv_test" }, page: null, clientTools: [] };
      const ran = await run(tool, input, { context });
      const { outcome, problem, request = null, response = null } = ran;
      const { result, display, form, isError, forModel } = outcome;
      return {
        isError,
        forModel,
        problem: findProblem(outcome, problem),
        result: toSafeNumbers(ran.result ?? null),
        warnings: ran.warnings ?? [],
        forVisitor: { result, display, ...(form ? { form } : {}) },
        durationMs: Math.round(performance.now() - startedAt),
        request,
        response,
      };
    },
  };
}

/** A tool's display, filled with a result, and what it leaves out. */
function displayIn(tool: ToolRow, result: unknown) {
  const displayConfig = parseDisplayConfig(tool);
  const warnings: string[] = [];
  const given = fillDisplay(result, displayConfig, (message) => warnings.push(message));
  return { displayConfig, filled: tool.resultFor === "visitor" ? displayForVisitorAlone(given) : given, warnings };
}

/** The `Foyer-Visitor` header for a host, or null when the tool sends none or nothing proves the visitor. */
async function createVisitorToken(
  { organizationId, agentId, sendVisitorToken }: ToolRow,
  { visitor }: TurnContext,
  { host, agents }: { host: string; agents: Pick<AgentService, "identitySecret"> },
): Promise<string | null> {
  if (sendVisitorToken === 0 || visitor === null) return null;
  return signVisitorToken(visitor, { host, secret: await agents.identitySecret(organizationId, agentId) });
}

function findProblem({ isError, forModel }: ToolOutcome, problem: string | undefined): string | null {
  return problem ?? (isError ? forModel : null);
}

/**
 * Visitors see only that the tool ran. The model reads the result, but the chat stream and the stored conversation do
 * not contain it.
 */
function hideResult(forModel: string): ToolOutcome {
  const display = { type: "text", slots: {}, options: {} };
  return { result: null, isError: false, displayConfig: null, display, forModel };
}

/** The text that the model receives instead of a result that only the visitor may see. */
export const shownOnly = "The result was shown to the visitor. You cannot see it, so do not guess what it contains.";

/** A mock's response is text. JSON can be mapped to a display like any other result. */
function readMock(response: string): unknown {
  if (!/^\s*[[{]/.test(response)) return response;
  try {
    return parseExactJson(response);
  } catch {
    return response;
  }
}

function showForm(tool: ToolRow, input: Input): ToolOutcome {
  const form = toVisitorForm(tool, input);
  const forModel =
    "The form is displayed to the visitor, who may fill it in now. Do not ask for its fields in the chat.";
  const displayConfig = parseDisplayConfig(tool);
  const display = { type: "form", slots: {}, options: {} };
  return { result: null, isError: false, displayConfig, display, form, forModel };
}

/** The form for a visitor, with defaults from the call's input where the names match. */
export function toVisitorForm(tool: ToolRow, input: Input = {}): VisitorForm {
  const formSchema: FormSchema = tool.formSchema ? JSON.parse(tool.formSchema) : { fields: [] };
  const fields = formSchema.fields.map((field) => {
    const given = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    return holdsFile(field) || !isScalar(given) ? field : { ...field, defaultValue: toScalarText(given) };
  });
  return {
    toolId: tool.id,
    toolName: tool.name,
    label: tool.label,
    formSchema: { ...defaultFormTexts, ...formSchema, fields },
    executionMode: tool.formExecutionMode ?? "webhook",
    clientHandler: tool.formClientHandler,
  };
}
