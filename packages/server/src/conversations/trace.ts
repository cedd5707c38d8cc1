import type { ReplyTrace, TraceStep } from "@foyer/contract";
import { isVisible } from "../db/deleted-agents.ts";
import type { ReplyStepRow } from "../db/tables/models.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";

/** Reads what a reply did. @throws 404 when the organization has no such reply in this conversation */
export async function readTrace(
  { db, prices }: Pick<Deps, "db" | "prices">,
  { organizationId, conversationId, messageId }: { organizationId: string; conversationId: string; messageId: string },
): Promise<ReplyTrace> {
  const message = await db
    .selectFrom("messages")
    .innerJoin("conversations", "conversations.id", "messages.conversationId")
    .select(["messages.id", "messages.cost"])
    .where("messages.id", "=", messageId)
    .where("messages.role", "=", "assistant")
    .where("conversations.id", "=", conversationId)
    .where("conversations.organizationId", "=", organizationId)
    .where(isVisible("conversations"))
    .executeTakeFirst();
  if (!message) throw notFound("Reply");
  const rows = await db
    .selectFrom("replySteps")
    .selectAll()
    .where("messageId", "=", messageId)
    .orderBy("position")
    .execute();
  const { currency } = await prices.ofOrganization(organizationId);
  return { steps: rows.map(toStep), totals: { ...sumSteps(rows), cost: message.cost, currency } };
}

function toStep({ messageId: _, position: __, startedAt, ...row }: ReplyStepRow): TraceStep {
  const { promptInstructions, promptDocuments, promptTools, promptHistory, ...step } = row;
  return {
    ...step,
    startedAt: new Date(startedAt).toISOString(),
    promptSize:
      promptInstructions === null
        ? null
        : {
            instructions: promptInstructions,
            documents: promptDocuments ?? 0,
            tools: promptTools ?? 0,
            history: promptHistory ?? 0,
          },
  };
}

function sumSteps(rows: readonly ReplyStepRow[]) {
  const sum = (name: "inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens") =>
    rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  const starts = rows.map(({ startedAt }) => startedAt);
  const ends = rows.map(({ startedAt, durationMs }) => startedAt + durationMs);
  return {
    durationMs: rows.length === 0 ? 0 : Math.max(...ends) - Math.min(...starts),
    inputTokens: sum("inputTokens"),
    cachedInputTokens: sum("cachedInputTokens"),
    outputTokens: sum("outputTokens"),
    reasoningTokens: sum("reasoningTokens"),
  };
}
