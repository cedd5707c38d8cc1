import type { ConversationActivity } from "@foyer/contract";
import { createReadQueue } from "./read-queue.ts";

const CONCURRENT_READS = 2;
/**
 * How long activity is collected before it is sent, in milliseconds, and the maximum number of conversations per event.
 */
const COLLECT_MS = 250;
const MAX_CONVERSATIONS = 50;

export type ActivitySource = {
  /** What a list shows of these conversations, without those that were deleted. */
  activity(organizationId: string, conversationIds: readonly string[]): Promise<ConversationActivity[]>;
};

/**
 * `removed` lists the ids of deleted conversations. `hasMore` means that something also happened in conversations that
 * are not listed.
 */
export type Activity = { conversations: ConversationActivity[]; removed: string[]; hasMore: boolean };

type Batch = { organizationId: string; ids: Set<string>; hasMore: boolean; timer: NodeJS.Timeout | undefined };

/**
 * Collects the conversations in which something happened, so that a busy organization causes at most four reads per
 * second.
 */
export function createActivityFeed(
  source: ActivitySource,
  publish: (organizationId: string, activity: Activity) => void,
  onError: (error: unknown) => void,
) {
  const batches = new Map<string, Batch>();
  const queue = createReadQueue<Batch>(CONCURRENT_READS, send, ({ organizationId }, error) => {
    // The clients read their lists again in that case.
    if (batches.has(organizationId)) happened(organizationId, null);
    onError(error);
  });

  async function send(batch: Batch): Promise<void> {
    const { organizationId, hasMore } = batch;
    const ids = [...batch.ids];
    batch.ids.clear();
    batch.hasMore = false;
    const conversations = ids.length > 0 ? await source.activity(organizationId, ids) : [];
    const existing = new Set(conversations.map(({ conversationId }) => conversationId));
    publish(organizationId, { conversations, removed: ids.filter((id) => !existing.has(id)), hasMore });
  }

  function happened(organizationId: string, conversationId: string | null): void {
    const batch = batches.get(organizationId) ?? { organizationId, ids: new Set(), hasMore: false, timer: undefined };
    batches.set(organizationId, batch);
    const { ids } = batch;
    if (conversationId === null || (ids.size >= MAX_CONVERSATIONS && !ids.has(conversationId))) batch.hasMore = true;
    else ids.add(conversationId);
    batch.timer ??= setTimeout(() => {
      batch.timer = undefined;
      queue.mark(batch);
    }, COLLECT_MS).unref();
  }

  return {
    /** Reports that something happened in a conversation or, with null, in more conversations than can be listed. */
    happened,
    /** Call it when nobody follows the organization's inbox anymore. */
    forget(organizationId: string): void {
      clearTimeout(batches.get(organizationId)?.timer);
      batches.delete(organizationId);
    },
    settled: queue.settled,
  };
}
