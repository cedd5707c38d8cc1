import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type HandoffSettings, handoffLimits, maxTeams } from "@foyer/contract";
import { sql } from "kysely";
import { parseHandoff, toWidgetHandoff } from "../agents/handoff.ts";
import type { ReplyTool } from "../chat/loop/reply-tool.ts";
import type { RequestHuman } from "../conversations/log/change.ts";
import type { TeamRow } from "../db/tables/teams.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { failure, type ToolOutcome } from "../tools/tool-outcome.ts";

type DescribedTeam = Pick<TeamRow, "id" | "name" | "description">;

const properties = {
  reason: {
    type: "string",
    description: "The reason, in one short sentence in the visitor's language. The visitor can read it.",
  },
  summary: {
    type: "string",
    description:
      "What the team should know: the problem, what has been tried, and the facts. The visitor cannot read it.",
  },
} as const;

const tool: LanguageModelV4FunctionTool = {
  type: "function",
  name: "request_human",
  description:
    "Asks a person of the team to take over this conversation. Use it when the visitor wants to talk to a person, or when only a person can help. Call it once.",
  inputSchema: {
    type: "object",
    properties,
    required: ["reason", "summary"],
  },
};

/**
 * @returns a function that creates the `request_human` tool for a conversation. It returns null if handoff is disabled
 * or the agent does not have the conversation. The model may choose among the teams that have a description.
 */
export function createRequestTool(
  { db, log: logger, mailer }: Pick<Deps, "db" | "log" | "mailer">,
  log: { request: RequestHuman },
) {
  return async (
    agent: AgentRow,
    { id, handler }: Pick<ConversationRow, "id" | "handler">,
  ): Promise<ReplyTool | null> => {
    const settings = parseHandoff(agent);
    if (!settings.isEnabled || handler !== "agent") return null;
    const teams = await readDescribedTeams(db, agent.organizationId);
    return {
      tool: offerTeams(teams),
      executionType: "handoff",
      shownInput: (input) => ({ reason: readText(input, "reason", handoffLimits.reason) }),
      async run(input) {
        const reason = readText(input, "reason", handoffLimits.reason);
        const summary = readText(input, "summary", handoffLimits.summary);
        const newRequest = { organizationId: agent.organizationId, conversationId: id, reason, summary };
        const teamId = findNamedTeam(teams, input)?.id ?? null;
        try {
          const isNew = await inTransaction(db, (trx) =>
            log.request(trx, agent, { ...newRequest, teamId, cause: "agent" }),
          );
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

/** The teams among which the model may choose, by name, so that the tool is the same in every request. */
function readDescribedTeams(db: Deps["db"], organizationId: string): Promise<DescribedTeam[]> {
  return db
    .selectFrom("teams")
    .select(["id", "name", "description"])
    .where("organizationId", "=", organizationId)
    .where("description", "is not", null)
    .orderBy(sql`lower(name)`)
    .orderBy("id")
    .limit(maxTeams)
    .execute();
}

/** Without a team, the request goes to that of the agent's settings. */
function offerTeams(teams: readonly DescribedTeam[]): LanguageModelV4FunctionTool {
  if (teams.length === 0) return tool;
  const list = teams.map(({ name, description }) => `${name}: ${description}`).join("\n");
  const team = {
    type: "string",
    enum: [...new Set(teams.map(({ name }) => name))],
    description: `The team for this request. Leave it out if none fits.\n${list}`,
  } as const;
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...properties, team } } };
}

/** Finds the team by its name in any case, because models do not always follow the schema. */
function findNamedTeam(teams: readonly DescribedTeam[], input: unknown): DescribedTeam | undefined {
  const named = readText(input, "team", Number.POSITIVE_INFINITY)?.toLowerCase();
  return teams.find(({ name }) => name.toLowerCase() === named);
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
function readText(input: unknown, name: "reason" | "summary" | "team", maxLength: number): string | null {
  const value = ((input ?? {}) as Record<string, unknown>)[name];
  // PostgreSQL cannot store NUL in text.
  const text = typeof value === "string" ? value.replaceAll("\0", "").trim() : "";
  return text === "" ? null : text.slice(0, maxLength).toWellFormed();
}
