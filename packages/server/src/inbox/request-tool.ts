import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type HandoffSettings, handoffLimits } from "@foyer/contract";
import { parseHandoff, toWidgetHandoff } from "../agents/handoff.ts";
import type { ReplyTool } from "../chat/loop/reply-tool.ts";
import type { RequestHuman } from "../conversations/log/change.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { failure, type ToolOutcome } from "../tools/tool-outcome.ts";

const tool: LanguageModelV4FunctionTool = {
  type: "function",
  name: "request_human",
  description:
    "Asks a person of the team to take over this conversation. Use it when the visitor wants to talk to a person, or when only a person can help. Call it once.",
  inputSchema: {
    type: "object",
    properties: {
      reason: {
        type: "string",
        description: "The reason, in one short sentence in the visitor's language. The visitor can read it.",
      },
      summary: {
        type: "string",
        description:
          "What the team should know: the problem, what has been tried, and the facts. The visitor cannot read it.",
      },
    },
    required: ["reason", "summary"],
  },
};

/**
 * @returns a function that creates the `request_human` tool for a conversation. It returns null if handoff is disabled
 * or the agent does not have the conversation.
 */
export function createRequestTool(
  { db, log: logger, mailer }: Pick<Deps, "db" | "log" | "mailer">,
  log: { request: RequestHuman },
) {
  return (agent: AgentRow, { id, handler }: Pick<ConversationRow, "id" | "handler">): ReplyTool | null => {
    const settings = parseHandoff(agent);
    if (!settings.isEnabled || handler !== "agent") return null;
    return {
      tool,
      executionType: "handoff",
      shownInput: (input) => ({ reason: readText(input, "reason", handoffLimits.reason) }),
      async run(input) {
        const reason = readText(input, "reason", handoffLimits.reason);
        const summary = readText(input, "summary", handoffLimits.summary);
        const newRequest = { organizationId: agent.organizationId, conversationId: id, reason, summary };
        try {
          const isNew = await inTransaction(db, (trx) => log.request(trx, agent, { ...newRequest, cause: "agent" }));
          return isNew
            ? createOutcome(agent, settings, { reason, canEmail: mailer.isConfigured })
            : failure("The team already knows about this conversation.");
        } catch (error) {
          logger.error({ err: error, agentId: agent.id }, "a request for a person could not be stored");
          return failure("The team cannot be reached right now.");
        }
      },
    };
  };
}

function createOutcome(
  agent: AgentRow,
  settings: HandoffSettings,
  { reason, canEmail }: { reason: string | null; canEmail: boolean },
): ToolOutcome {
  const widgetHandoff = toWidgetHandoff(agent, { now: Date.now(), canEmail });
  const { isOpen = true, opensAt = null, promiseMinutes = null } = widgetHandoff ?? {};
  const canLeaveAddress = canEmail ? " The visitor can leave an email address in the form below." : "";
  const instructions = [
    isOpen
      ? `The team has been notified${promiseMinutes === null ? "" : `, and usually answers within ${promiseMinutes} minutes`}.`
      : `The request is stored, but the team is away${opensAt === null ? "" : ` until ${opensAt}`}.${canLeaveAddress}`,
    "Tell the visitor this in one sentence, and promise nothing else about the person.",
    settings.whileWaiting === "agent"
      ? "You can keep helping until the person takes over."
      : "You do not receive further messages until the person is done.",
  ];
  const result = { reason, isOpen, opensAt, promiseMinutes };
  return { result, isError: false, displayConfig: null, display: null, forModel: instructions.join(" ") };
}

/** Reads a text from the tool's input. The value can have any type, because models do not always follow the schema. */
function readText(input: unknown, name: "reason" | "summary", maxLength: number): string | null {
  const value = ((input ?? {}) as Record<string, unknown>)[name];
  // PostgreSQL cannot store NUL in text.
  const text = typeof value === "string" ? value.replaceAll("\0", "").trim() : "";
  return text === "" ? null : text.slice(0, maxLength).toWellFormed();
}
