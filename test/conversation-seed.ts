import type { Db } from "../packages/server/src/db/open.ts";
import type { RatingColumns } from "../packages/server/src/db/tables/ratings.ts";
import type { ConversationRow, MessageRow } from "../packages/server/src/db/tables.ts";

type Owner = { organizationId: string; agentId: string };
type Saying = Partial<Pick<MessageRow, "content" | "feedback" | "stopReason">> & {
  pieces?: unknown[];
  removedLinks?: string[];
};

/** An id as if it had been created at that instant (milliseconds), because ids sort by time. */
function idAt(prefix: string, ms: number, number = 0): string {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  let rest = (BigInt(ms) << 80n) | (7n << 76n) | (2n << 62n) | BigInt(number);
  let text = "";
  for (let at = 0; at < 26; at++) {
    text = digits.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return `${prefix}_${text}`;
}

/** Inserts a conversation directly into the database: alternating messages of the visitor and replies. */
export async function insertConversation(
  db: Db,
  owner: Owner,
  fields: Partial<ConversationRow & RatingColumns>,
  sayings: Saying[],
): Promise<string> {
  const createdAt = fields.createdAt ?? Date.now();
  const id = fields.id ?? idAt("conv", createdAt, Math.floor(Math.random() * 1e9));
  const row = { ...conversationRow(owner, id, createdAt), title: sayings[0]?.content ?? "", ...fields };
  await db
    .insertInto("conversations")
    .values({ ...row, messageCount: sayings.length })
    .execute();
  const messages = sayings.map((saying, position) => messageRow(id, position, createdAt + position * 40_000, saying));
  for (let at = 0; at < messages.length; at += 500)
    await db
      .insertInto("messages")
      .values(messages.slice(at, at + 500))
      .execute();
  await count(db, owner.agentId, 1);
  return id;
}

/** Records that the provider refused the conversation's reply a second ago; `message` is the provider's own. */
export async function insertFailure(
  db: Db,
  failure: Owner & { conversationId: string; message: string; isAnswered?: 0 | 1 },
): Promise<void> {
  const { id: messageId } = await db
    .selectFrom("messages")
    .select("id")
    .where("conversationId", "=", failure.conversationId)
    .where("role", "=", "assistant")
    .executeTakeFirstOrThrow();
  const reason = { provider: "openai", model: "openai/gpt-5", code: "MODEL_UNAVAILABLE", providerStatus: 429 };
  await db
    .insertInto("replyFailures")
    .values({ messageId, at: Date.now() - 1_000, ...reason, ...failure })
    .execute();
}

/** Inserts this many conversations without messages, one per minute, going back from now. */
export async function insertManyConversations(db: Db, owner: Owner, amount: number): Promise<void> {
  const now = Date.now();
  await db.transaction().execute(async (trx) => {
    for (let at = 0; at < amount; at += 500) {
      const rows = Array.from({ length: Math.min(500, amount - at) }, (_, index) => {
        const number = at + index;
        const createdAt = now - number * 60_000;
        const row = conversationRow(owner, idAt("conv", createdAt, number), createdAt);
        return { ...row, title: `Question ${number + 1} about a bicycle`, messageCount: (number % 12) + 1 };
      });
      await trx.insertInto("conversations").values(rows).execute();
    }
    await count(trx, owner.agentId, amount);
  });
}

async function count(db: Pick<Db, "insertInto">, agentId: string, conversations: number) {
  await db
    .insertInto("agentCounters")
    .values({ agentId, conversations })
    .onConflict((conflict) =>
      conflict
        .column("agentId")
        .doUpdateSet((x) => ({ conversations: x("agentCounters.conversations", "+", conversations) })),
    )
    .execute();
}

function conversationRow(owner: Owner, id: string, createdAt: number): ConversationRow {
  return {
    id,
    ...owner,
    title: "",
    messageCount: 0,
    sessionId: null,
    userId: null,
    userEmail: null,
    userName: null,
    userMetadata: null,
    isUserVerified: 0,
    verifiedVisitor: null,
    hasOwner: 0,
    linkVersion: 0,
    rolloutId: null,
    isTest: 0,
    textBytes: 0,
    toolBytes: 0,
    context: null,
    consent: null,
    handler: "agent",
    epoch: 0,
    assigneeId: null,
    status: "open",
    snoozedUntil: null,
    resolvedAt: null,
    waitingSince: null,
    changedAt: 0,
    teamId: null,
    lastMessageRole: null,
    lastMessagePreview: null,
    lastMessageAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}

function messageRow(conversationId: string, position: number, createdAt: number, saying: Saying): MessageRow {
  const { content = "", pieces, removedLinks = [], feedback = null, stopReason } = saying;
  const isReply = position % 2 === 1;
  return {
    id: idAt("msg", createdAt, Math.floor(Math.random() * 1e9)),
    conversationId,
    position,
    role: isReply ? "assistant" : "user",
    content,
    pieces: pieces ? JSON.stringify(pieces) : null,
    page: null,
    messageKey: null,
    isSupplied: 0,
    agentVersion: null,
    removedLinks: removedLinks.length > 0 ? JSON.stringify(removedLinks) : null,
    feedback,
    feedbackComment: null,
    stopReason: stopReason === undefined ? (isReply ? "end_turn" : null) : stopReason,
    stopRequested: 0,
    model: isReply ? "demo" : null,
    fallbackFrom: null,
    promptState: null,
    inputTokens: null,
    cachedInputTokens: null,
    outputTokens: null,
    cost: null,
    authorId: null,
    authorName: null,
    createdAt,
    updatedAt: Date.now(),
  };
}
