import { createHash } from "node:crypto";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { selectAgentIds } from "../db/agents-of.ts";
import { deleteBySize, deleteInBatches } from "../db/clean-up.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { isDuplicate } from "../db/database-errors.ts";
import type { Db } from "../db/open.ts";
import { readPagesById } from "../db/pages-by-id.ts";
import type { IdempotencyKeyRow } from "../db/tables/plans.ts";
import { AppError, invalid } from "../errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** whether the route supports `Idempotency-Key`; if so, it runs its work through `Idempotency` */
    idempotent?: boolean;
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/**
 * Stores the response in the transaction that creates its resource. `agentId` is the agent that the resource belongs
 * to, or null.
 */
export type SaveResponse = (trx: Executor, agentId: string | null, answer: unknown) => Promise<void>;

const RETENTION_MS = DAY_MS;
/** The number of responses to search between two turns of the event loop. Most responses are smaller than 1 KB. */
const RESPONSES_PER_PAGE = 200;

type IdempotencyOptions = {
  /** Counts the bytes of a response that is stored. @throws 429 */
  countBytes(trx: Db, owner: { organizationId: string | null; agentId: string | null }, bytes: number): Promise<void>;
  /** for tests */
  now?: () => number;
};

/**
 * Implements `Idempotency-Key`: for 24 hours, the same request with the same key returns the first response and creates
 * nothing. The response is written in the transaction that creates the resource, so this is also true after a crash and
 * across processes.
 *
 * The route passes its work to `run`. The work receives the function `save`, and passes it to its store, which calls it
 * with the transaction. (In a batch, a key that was used in the meantime fails only its own item.) Without the header,
 * `save` is undefined. The stored response is the plain JSON body before the route's envelope. If work continues after
 * its transaction, the response known at commit time is stored first, and the final one before it is sent. Failures are
 * not stored. `scope` identifies the caller: the credential (`credentialId`), or the agent and session of a visitor.
 * Bodies are compared by value, regardless of field order. A route that parses the body itself passes the value to
 * compare as `sent`.
 *
 *     handler: async (request, reply) => {
 *       const call = { request, reply, scope };
 *       return reply.status(201).send(await idempotency.run(call, (save) => things.create(request.body, save)));
 *     }
 *
 * @throws 400 for a key that is not 1 to 255 visible ASCII characters, 409 for a key that was used for another request,
 * 429 when the organization has stored its bytes of the day
 */
export function createIdempotency(db: Db, { countBytes, now = Date.now }: IdempotencyOptions) {
  const { find, insert, update } = createRecords(db);
  const running = new Map<string, Promise<unknown>>();

  /** Returns the stored response as JSON, or undefined if there is none. */
  async function readStoredResponse(id: string, requestHash: string) {
    const row = await find(id);
    if (!row) return undefined;
    if (row.createdAt <= now() - RETENTION_MS) {
      await db.deleteFrom("idempotencyKeys").where("id", "=", id).where("createdAt", "=", row.createdAt).execute();
      return undefined;
    }
    if (row.requestHash === requestHash) return row.answer;
    throw new AppError("CONFLICT", "This Idempotency-Key was already used for a different request. Use a new key.");
  }

  async function runFirst<T>(
    { id, requestHash, organizationId }: { id: string; requestHash: string; organizationId: string | null },
    work: (save: SaveResponse) => Promise<T>,
  ) {
    let savedResponse: string | undefined;
    const result = await work(async (trx, agentId, answer) => {
      savedResponse = JSON.stringify(answer);
      await countBytes(trx as Db, { organizationId, agentId }, Buffer.byteLength(savedResponse));
      return insert(trx, { id, agentId, requestHash, answer: savedResponse, createdAt: now() });
    });
    const answer = JSON.stringify(result);
    if (savedResponse !== undefined && savedResponse !== answer) await update(id, answer);
    return result;
  }

  return {
    async run<T>(call: Call, work: (save: SaveResponse | undefined) => Promise<T>): Promise<T> {
      const key = parseKey(call.request);
      if (key === null) return work(undefined);
      const id = createRecordId(call, key);
      const requestHash = hashValue([call.request.query, call.sent ?? call.request.body]);
      const replay = (answer: string): T => {
        call.reply.header("idempotent-replay", "true");
        return JSON.parse(answer);
      };
      // Wait for concurrent requests with the same key in this process. For requests in other processes, the primary
      // key decides which one is first.
      while (running.has(id)) await running.get(id);
      const completion = Promise.withResolvers<void>();
      running.set(id, completion.promise);
      try {
        const storedResponse = await readStoredResponse(id, requestHash);
        if (storedResponse !== undefined) return replay(storedResponse);
        try {
          const organizationId = call.request.principal?.organizationId ?? null;
          return await runFirst({ id, requestHash, organizationId }, work);
        } catch (error) {
          // If another process has handled the same request in the meantime, this may have caused the failure.
          const concurrentResponse = await readStoredResponse(id, requestHash);
          if (concurrentResponse === undefined) throw error;
          return replay(concurrentResponse);
        }
      } finally {
        running.delete(id);
        completion.resolve();
      }
    },
  };
}

type Call = { request: FastifyRequest; reply: FastifyReply; scope: string; sent?: unknown };

/** Deletes expired responses. @returns the number of deleted responses */
export function deleteExpiredResponses(db: Db, now: number): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const keys = trx.selectFrom("idempotencyKeys").select("id");
    const expired = keys
      .where("createdAt", "<=", now - RETENTION_MS)
      .orderBy("createdAt")
      .limit(limit);
    return Number(
      (await trx.deleteFrom("idempotencyKeys").where("id", "in", expired).executeTakeFirst()).numDeletedRows,
    );
  });
}

/**
 * Deletes the stored responses about an agent's resources. A response can be as large as the resource.
 * @returns the number of deleted responses
 */
export function deleteResponsesOfAgent(db: Db, agentId: string): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      trx
        .selectFrom("idempotencyKeys")
        .select(["id", sql<number>`octet_length(answer)`.as("bytes")])
        .where("agentId", "=", agentId)
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom("idempotencyKeys").where("id", "in", ids).execute();
    },
  });
}

/**
 * Deletes an organization's stored responses that contain one of these ids. Scanning them all is cheap enough, because
 * responses are kept for only one day.
 * @returns the number of deleted responses
 */
export async function deleteResponsesAbout(db: Db, organizationId: string, ids: ReadonlySet<string>): Promise<number> {
  if (ids.size === 0) return 0;
  const pages = readPagesById(RESPONSES_PER_PAGE, (after) =>
    db
      .selectFrom("idempotencyKeys")
      .select(["id", "answer"])
      .where("agentId", "in", selectAgentIds(db, organizationId))
      .where("id", ">", after)
      .orderBy("id")
      .limit(RESPONSES_PER_PAGE)
      .execute(),
  );
  let deleted = 0;
  for await (const page of pages) {
    const matchingRows = page.filter(({ answer }) =>
      answer.match(/\b[a-z]+_[0-7][0-9a-z]{25}\b/g)?.some((id) => ids.has(id)),
    );
    for (const { id } of matchingRows) await db.deleteFrom("idempotencyKeys").where("id", "=", id).execute();
    deleted += matchingRows.length;
  }
  return deleted;
}

function createRecords(db: Db) {
  const selectById = compileOnce<{ id: string }, IdempotencyKeyRow>((param) =>
    db.selectFrom("idempotencyKeys").selectAll().where("id", "=", param("id")),
  );
  const insertRow = compileOnce<IdempotencyKeyRow, never>((param) =>
    db.insertInto("idempotencyKeys").values({
      id: param("id"),
      agentId: param("agentId"),
      requestHash: param("requestHash"),
      answer: param("answer"),
      createdAt: param("createdAt"),
    }),
  );
  return {
    async find(id: string): Promise<IdempotencyKeyRow | undefined> {
      return (await selectById(db, { id })).rows[0];
    },
    async insert(trx: Executor, row: IdempotencyKeyRow): Promise<void> {
      await insertRow(trx, row).catch((error) => {
        // Throw another error, because callers that see a duplicate retry with a different name.
        throw isDuplicate(error) ? new Error("The Idempotency-Key is in use.", { cause: error }) : error;
      });
    },
    async update(id: string, answer: string): Promise<void> {
      await db.updateTable("idempotencyKeys").set({ answer }).where("id", "=", id).execute();
    },
  };
}

function parseKey({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && /^[!-~]{1,255}$/.test(key)) return key;
  throw invalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters", "format");
}

function createRecordId({ request, scope }: Call, key: string) {
  return hashValue([scope, request.method, request.routeOptions.url, key]);
}

/** Returns the SHA-256 hash of the JSON with sorted property names. */
function hashValue(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, sortNames)).digest("base64url");
}

function sortNames(_: string, value: unknown) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
