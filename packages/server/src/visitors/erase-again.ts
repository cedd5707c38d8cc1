import { createErasure } from "../conversations/log/erase.ts";
import type { Db } from "../db/open.ts";
import { readPagesById } from "../db/pages-by-id.ts";
import type { ErasureLedgerRow } from "../db/tables/visitors.ts";
import type { Deps } from "../deps.ts";
import type { Encryption } from "../encryption.ts";
import { foldEmail, hashOf, type Identifier } from "./identifier.ts";
import { createVisitorService } from "./service.ts";

const PAGE = 500;

type Kind = ErasureLedgerRow["kind"];
/** Something that was erased but is present again in the restored database. */
type Found = { organizationId: string; kind: Kind; value: string; erasedAt: number };
type Candidate = { kind: Kind; value: string | null };

type EraseDeps = Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">;

/**
 * Repeats the erasures on a restored backup and adds the ledger to it. Reads every conversation and submission, so it
 * runs while no server is running.
 * @param ledger the ledger of the replaced database, whose hashes were made with `encryption`
 * @returns how many visitors and conversations were erased
 */
export async function eraseAgain(
  deps: EraseDeps,
  ledger: readonly ErasureLedgerRow[],
  encryption: Pick<Encryption, "sign">,
): Promise<number> {
  const { db } = deps;
  const erasedAt = new Map(ledger.map((row) => [`${row.organizationId} ${row.kind} ${row.hash}`, row.erasedAt]));
  const found = new Map<string, Found>();
  const look = (organizationId: string, createdAt: number, candidates: Candidate[]) => {
    for (const { kind, value } of candidates) {
      if (value === null) continue;
      const key = `${organizationId} ${kind} ${hashOf(encryption, organizationId, { kind, value })}`;
      const at = erasedAt.get(key);
      if (at !== undefined && createdAt <= at) found.set(key, { organizationId, kind, value, erasedAt: at });
    }
  };
  await readConversations(db, look);
  await readHandoffs(db, look);
  await readSubmissions(db, look);
  await readTriggerEvents(db, look);
  // No process serves the database yet, so nothing follows these conversations.
  const log = createErasure(db, async () => {});
  const visitors = createVisitorService(deps, {
    log,
    checkpoint: { run: async () => {} },
    // Records no events, because the receivers were notified of the first erasure.
    recordEvents: async () => {},
  });
  for (const { organizationId, kind, value, erasedAt: until } of found.values()) {
    if (kind === "conversation") await log.erase(organizationId, [value]);
    else await visitors.erase(organizationId, { kind, value } satisfies Identifier, { until, isReceiptKept: false });
  }
  return found.size;
}

type Look = (organizationId: string, createdAt: number, candidates: Candidate[]) => void;

async function readConversations(db: Db, look: Look): Promise<void> {
  const pages = readPagesById(PAGE, (after) =>
    db
      .selectFrom("conversations")
      .select(["id", "organizationId", "userId", "userEmail", "sessionId", "createdAt"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute(),
  );
  for await (const rows of pages) {
    for (const { id, organizationId, userId, userEmail, sessionId, createdAt } of rows) {
      look(organizationId, createdAt, [
        { kind: "conversation", value: id },
        { kind: "conversationId", value: id },
        { kind: "userId", value: userId },
        { kind: "email", value: userEmail && foldEmail(userEmail) },
        { kind: "sessionId", value: sessionId },
      ]);
    }
  }
}

/** The email addresses that visitors left for an answer. */
async function readHandoffs(db: Db, look: Look): Promise<void> {
  const pages = readPagesById(PAGE, (after) =>
    db
      .selectFrom("handoffs")
      .innerJoin("conversations", "conversations.id", "handoffs.conversationId")
      .select(["handoffs.id", "handoffs.organizationId", "handoffs.email", "conversations.createdAt"])
      .where("handoffs.email", "is not", null)
      .where("handoffs.id", ">", after)
      .orderBy("handoffs.id")
      .limit(PAGE)
      .execute(),
  );
  for await (const rows of pages) {
    for (const { organizationId, email, createdAt } of rows) {
      look(organizationId, createdAt, [{ kind: "email", value: email && foldEmail(email) }]);
    }
  }
}

async function readSubmissions(db: Db, look: Look): Promise<void> {
  const pages = readPagesById(PAGE, (after) =>
    db
      .selectFrom("submissions")
      .select(["id", "organizationId", "conversationId", "userId", "formData", "verifiedVisitor", "createdAt"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute(),
  );
  for await (const rows of pages) {
    for (const { organizationId, conversationId, userId, formData, verifiedVisitor, createdAt } of rows) {
      const addresses = [formData, verifiedVisitor ?? "{}"].flatMap((json) => findAddresses(JSON.parse(json)));
      look(organizationId, createdAt, [
        { kind: "conversationId", value: conversationId },
        { kind: "userId", value: userId },
        ...addresses.map((value) => ({ kind: "email" as const, value })),
      ]);
    }
  }
}

/** A visitor can have trigger events without a conversation. */
async function readTriggerEvents(db: Db, look: Look): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom("triggerEvents")
      .innerJoin("agents", "agents.id", "triggerEvents.agentId")
      .select(["triggerEvents.id", "organizationId", "sessionId", "triggerEvents.createdAt"])
      .where("triggerEvents.id", ">", after)
      .orderBy("triggerEvents.id")
      .limit(PAGE)
      .execute();
    for (const { organizationId, sessionId, createdAt } of rows) {
      look(organizationId, createdAt, [{ kind: "sessionId", value: sessionId }]);
    }
    after = rows.at(-1)?.id ?? 0;
    if (rows.length < PAGE) return;
  }
}

function findAddresses(value: unknown): string[] {
  if (typeof value === "string") return value.includes("@") ? [foldEmail(value)] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(findAddresses) : [];
}
