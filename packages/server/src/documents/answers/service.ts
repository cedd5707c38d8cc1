import type { DocumentUse, UnansweredQuery, UnansweredQuestion } from "@foyer/contract";
import type { AgentService } from "../../agents/service.ts";
import { toInstants } from "../../utc-day.ts";
import type { AnswerStore, GroupRow } from "./store.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const MAX_OTHER_WORDINGS = 10;

export type AnswerService = ReturnType<typeof createAnswerService>;

/**
 * Reads unanswered questions and document uses. `documentExists` throws 404 unless the organization has the document.
 */
export function createAnswerService({
  agents,
  store,
  documentExists,
}: {
  agents: AgentService;
  store: AnswerStore;
  documentExists(organizationId: string, id: string): Promise<unknown>;
}) {
  return {
    async listUnanswered(organizationId: string, { agentId, reason, from, to, limit, offset = 0 }: UnansweredQuery) {
      await agents.get(organizationId, agentId);
      const filter = { organizationId, agentId, reason, ...toInstants({ from, to }) };
      const page = { limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset };
      const { rows, total } = await store.groups(filter, page);
      const ids = rows.map(({ groupId }) => groupId);
      const wordings = Map.groupBy(await store.wordings(filter, ids), ({ groupId }) => groupId);
      const latest = new Map((await store.latest(filter, ids)).map((row) => [row.groupId, row]));
      const questions = rows.flatMap((row) => {
        const texts = wordings.get(row.groupId)?.map(({ question }) => question) ?? [];
        const reply = latest.get(row.groupId);
        // The three reads do not share a snapshot, so a group can be deleted between two of them.
        return reply && texts.length > 0 ? [toUnansweredQuestion(row, texts, reply)] : [];
      });
      return { questions, pagination: { total, ...page } };
    },
    /** @returns the number of groups that existed */
    async dismiss(organizationId: string, agentId: string, ids: readonly string[]): Promise<number> {
      await agents.get(organizationId, agentId);
      let dismissed = 0;
      for (const groupId of new Set(ids)) {
        if (await store.close({ organizationId, agentId, groupId }, "dismissed")) dismissed++;
      }
      return dismissed;
    },
    async uses(organizationId: string, documentId: string, { limit, offset = 0 }: { limit?: number; offset?: number }) {
      await documentExists(organizationId, documentId);
      const page = { limit: Math.min(limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset };
      const { rows, total } = await store.uses(organizationId, documentId, page);
      const uses = rows.map((row): DocumentUse => ({ ...row, at: new Date(Number(row.at)).toISOString() }));
      return { uses, pagination: { total, ...page } };
    },
  };
}

function toUnansweredQuestion(
  row: GroupRow,
  wordings: readonly string[],
  { conversationId, messageId }: { conversationId: string; messageId: string },
): UnansweredQuestion {
  const [question = "", ...otherWordings] = removeDuplicates(wordings);
  return {
    id: row.groupId,
    question,
    otherWordings: otherWordings.slice(0, MAX_OTHER_WORDINGS),
    count: Number(row.count),
    reasons: {
      nothingFound: Number(row.nothingFound),
      notCited: Number(row.notCited),
      ratedDown: Number(row.ratedDown),
    },
    lastAskedAt: new Date(Number(row.lastAt)).toISOString(),
    conversationId,
    messageId,
  };
}

/** Removes wordings that differ from an earlier one only in case, punctuation or spaces. */
function removeDuplicates(wordings: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const wording of wordings) {
    const key = wording
      .toLowerCase()
      .replace(/[\p{P}\s]+/gu, " ")
      .trim();
    if (!seen.has(key)) seen.set(key, wording);
  }
  return [...seen.values()];
}
