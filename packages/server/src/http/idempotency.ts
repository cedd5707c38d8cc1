import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { deleteInBatches } from "../db/clean-up.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { isDuplicate } from "../db/database-errors.ts";
import type { Db } from "../db/open.ts";
import type { IdempotencyKeyRow } from "../db/tables.ts";
import { AppError, invalid } from "../errors.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** takes an `Idempotency-Key`; the route runs its work through `Idempotency` */
    idempotent?: boolean;
  }
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Keeps the answer in the transaction that makes what it tells of; `agentId` is the agent that it belongs to. */
export type Keep = (trx: Executor, agentId: string, answer: unknown) => Promise<void>;

const KEPT_MS = 86_400_000;

/**
 * `Idempotency-Key`: for 24 hours, the same request with the same key gets the answer of the first and makes nothing new.
 * The answer is written in the transaction of the resource, so this holds across crashes and processes.
 *
 * Usage: the route hands its work to `run`, the service hands the `keep` that it gets on to its store, and the store calls
 * it with its transaction (also one of a batch: a key that was used meanwhile fails that item alone). Without the header
 * `keep` is undefined. The answer is the body before the route's envelope, plain JSON. Work that goes on after its
 * transaction keeps what it knows by then and returns what it knows at the end: if they differ, the end is kept as well,
 * before it goes out. Failures are not kept. `scope` is who sent it: the account's credential (`credentialOf`), or for
 * visitors the agent and session. Bodies count as the same by their values, in whatever order; whoever takes apart
 * what was sent before the handler runs gives what stands for it as `sent`.
 *
 *     handler: async (request, reply) =>
 *       reply.status(201).send(await idempotency.run({ request, reply, scope }, (keep) => things.create(request.body, keep)))
 *
 * @throws 400 for a key that is not 1 to 255 visible ASCII characters, 409 for a key that was used for another request
 */
export function createIdempotency(db: Db, now: () => number = Date.now) {
  const { find, insert, update } = createRecords(db);
  const running = new Map<string, Promise<unknown>>();

  /** The kept answer, as JSON; undefined when there is none (any more). */
  async function kept(id: string, requestHash: string) {
    const row = await find(id);
    if (!row) return undefined;
    if (row.createdAt <= now() - KEPT_MS) {
      await db.deleteFrom("idempotencyKeys").where("id", "=", id).where("createdAt", "=", row.createdAt).execute();
      return undefined;
    }
    if (row.requestHash === requestHash) return row.answer;
    throw new AppError("CONFLICT", "This Idempotency-Key was used for another request. Choose a new one for this one.");
  }

  async function runFirst<T>(id: string, requestHash: string, work: (keep: Keep) => Promise<T>) {
    let keptAnswer: string | undefined;
    const result = await work((trx, agentId, answer) => {
      keptAnswer = JSON.stringify(answer);
      return insert(trx, { id, agentId, requestHash, answer: keptAnswer, createdAt: now() });
    });
    const answer = JSON.stringify(result);
    if (keptAnswer !== undefined && keptAnswer !== answer) await update(id, answer);
    return result;
  }

  return {
    async run<T>(call: Call, work: (keep: Keep | undefined) => Promise<T>): Promise<T> {
      const key = keyOf(call.request);
      if (key === null) return work(undefined);
      const id = recordId(call, key);
      const requestHash = sha256([call.request.query, call.sent ?? call.request.body]);
      const replay = (answer: string): T => {
        call.reply.header("idempotent-replay", "true");
        return JSON.parse(answer);
      };
      // Those that came at once wait here for the first; those of other processes meet in the database.
      while (running.has(id)) await running.get(id);
      const turn = Promise.withResolvers<void>();
      running.set(id, turn.promise);
      try {
        const earlier = await kept(id, requestHash);
        if (earlier !== undefined) return replay(earlier);
        try {
          return await runFirst(id, requestHash, work);
        } catch (error) {
          // Whatever it failed at: when the same request was answered meanwhile, that is why.
          const meanwhile = await kept(id, requestHash);
          if (meanwhile === undefined) throw error;
          return replay(meanwhile);
        }
      } finally {
        running.delete(id);
        turn.resolve();
      }
    },
  };
}

type Call = { request: FastifyRequest; reply: FastifyReply; scope: string; sent?: unknown };

/** Deletes what was kept for its time. @returns how many */
export function deleteOldAnswers(db: Db, now: number): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const kept = trx.selectFrom("idempotencyKeys").select("id");
    const old = kept
      .where("createdAt", "<=", now - KEPT_MS)
      .orderBy("createdAt")
      .limit(limit);
    return Number((await trx.deleteFrom("idempotencyKeys").where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}

function createRecords(db: Db) {
  const byId = compileOnce<{ id: string }, IdempotencyKeyRow>((param) =>
    db.selectFrom("idempotencyKeys").selectAll().where("id", "=", param("id")),
  );
  const add = compileOnce<IdempotencyKeyRow, never>((param) =>
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
      return (await byId(db, { id })).rows[0];
    },
    async insert(trx: Executor, row: IdempotencyKeyRow): Promise<void> {
      await add(trx, row).catch((error) => {
        // In another form, because callers try again with another name when they hear of a duplicate.
        throw isDuplicate(error) ? new Error("The Idempotency-Key is in use.", { cause: error }) : error;
      });
    },
    async update(id: string, answer: string): Promise<void> {
      await db.updateTable("idempotencyKeys").set({ answer }).where("id", "=", id).execute();
    },
  };
}

function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && /^[!-~]{1,255}$/.test(key)) return key;
  throw invalid("Idempotency-Key", "must be 1 to 255 visible ASCII characters", "format");
}

function recordId({ request, scope }: Call, key: string) {
  return sha256([scope, request.method, request.routeOptions.url, key]);
}

/** Of the JSON with every object's names in order. */
function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value, withSortedNames)).digest("base64url");
}

function withSortedNames(_: string, value: unknown) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
