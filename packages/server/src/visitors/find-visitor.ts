import type { Deps } from "../deps.ts";
import { visitorKey } from "../plans/token-budget.ts";
import type { Batch, FoundConversation } from "./batch.ts";
import type { Identifier } from "./identifier.ts";
import type { VisitorStore } from "./store.ts";

export type FindVisitor = ReturnType<typeof createFindVisitor>;

/**
 * Finds a visitor's data in batches. A conversation comes after the submissions that name it, together with the trigger
 * events and counters of its session. Erasing the batches in order can therefore be interrupted at any point: the same
 * identifier still finds the rest.
 */
export function createFindVisitor(store: VisitorStore, encryption: Deps["encryption"]) {
  return async function* findVisitor(
    organizationId: string,
    identifier: Identifier,
    until = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Batch> {
    const { kind, value } = identifier;
    const seen = new Set<string>();
    const unseen = (values: readonly string[]) => {
      const found = values.filter((one) => !seen.has(one));
      for (const one of found) seen.add(one);
      return found;
    };
    const ownKeys = keysOf(kind === "sessionId" ? [value] : [], kind === "userId" ? [value] : []);
    const keys = ({ sessionIds, counters }: Keys) => ({
      sessionIds: unseen(sessionIds),
      counterKeys: unseen(counters).map((who) => visitorKey(encryption, who)),
    });
    async function* submissions(pages: AsyncGenerator<string[]>): AsyncGenerator<Batch> {
      for await (const page of pages) {
        const submissionIds = unseen(page);
        if (submissionIds.length > 0) yield { conversations: [], submissionIds, sessionIds: [], counterKeys: [] };
      }
    }

    for await (const conversations of store.conversations(organizationId, identifier, until)) {
      const ids = conversations.map(({ id }) => id);
      yield* submissions(store.submissionsIn(organizationId, { conversationIds: ids }, { until }));
      yield { conversations, submissionIds: [], ...keys(keysIn(conversations)) };
    }
    // A deleted conversation can have left submissions behind.
    if (kind === "conversationId")
      yield* submissions(store.submissionsIn(organizationId, { conversationIds: [value] }, { until }));
    if (kind === "userId") yield* submissions(store.submissionsIn(organizationId, { userId: value }, { until }));
    if (kind === "email") yield* submissions(store.submissionsWith(organizationId, value, until));
    const own = keys(ownKeys);
    if (own.sessionIds.length + own.counterKeys.length > 0) yield { conversations: [], submissionIds: [], ...own };
  };
}

type Keys = { sessionIds: string[]; counters: string[] };

function keysIn(conversations: readonly FoundConversation[]): Keys {
  const given = (values: Array<string | null>) => [...new Set(values.filter((value) => value !== null))];
  return keysOf(
    given(conversations.map(({ sessionId }) => sessionId)),
    given(conversations.map(({ userId }) => userId)),
  );
}

/** Token counters use the keys that `budgetOwner` gives to users and sessions. */
function keysOf(sessionIds: string[], userIds: string[]): Keys {
  return {
    sessionIds,
    counters: [...userIds.map((id) => `user:${id}`), ...sessionIds.map((id) => `session:${id}`)],
  };
}
