import { sql, type Transaction } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { Tables, ToolRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import type { StandingError } from "./tool-errors.ts";

type RowWithError = ToolRow & { errorAt: number | null; errorMessage: string | null };

export type ToolStore = ReturnType<typeof createToolStore>;

export function createToolStore(db: Db) {
  const { enabled, byId, toRun } = hotQueries(db);
  const owned = (organizationId: string) => db.selectFrom("tools").where("organizationId", "=", organizationId);
  return {
    /** What the agent may call, oldest first. */
    async enabled(agentId: string): Promise<ToolRow[]> {
      return (await enabled(db, { agentId })).rows;
    },
    /** The tool as it is now, when it is still enabled, with the failure that stands. */
    async enabledById(agentId: string, id: string): Promise<{ tool: ToolRow; standing: StandingError } | undefined> {
      const row = (await toRun(db, { agentId, id })).rows[0];
      if (!row) return undefined;
      const { errorAt: at, errorMessage: message, ...tool } = row;
      return { tool, standing: at === null || message === null ? null : { at, message } };
    },
    /** For visitors, who know the tool's id and no account. */
    async getPublic(id: string): Promise<ToolRow | undefined> {
      return (await byId(db, { id })).rows[0];
    },
    async list(organizationId: string, agentId: string): Promise<ToolRow[]> {
      return owned(organizationId).selectAll().where("agentId", "=", agentId).orderBy("id").execute();
    },
    /** All tools of an agent whose owner is known to be the caller's organization. */
    async listAll(trx: Transaction<Tables>, agentId: string): Promise<ToolRow[]> {
      return trx.selectFrom("tools").selectAll().where("agentId", "=", agentId).orderBy("id").execute();
    },
    async insertCopy(trx: Transaction<Tables>, row: ToolRow): Promise<void> {
      await trx.insertInto("tools").values(row).execute();
    },
    async get(organizationId: string, id: string): Promise<ToolRow | undefined> {
      return owned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Of one agent, or of the whole account. */
    async count(organizationId: string, agentId: string | null): Promise<number> {
      const tools = agentId === null ? owned(organizationId) : owned(organizationId).where("agentId", "=", agentId);
      return Number((await tools.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /** Keeps the tool, with `alsoInTransaction`, unless the agent has `limit` tools already. @returns false then */
    async insert(
      row: ToolRow,
      limit: number | null,
      alsoInTransaction?: (trx: Executor) => Promise<void>,
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const count = await countLocked(trx, row.agentId);
        if (limit !== null && count >= limit) return false;
        await trx.insertInto("tools").values(row).execute();
        await checkBytes(trx, row.agentId);
        await alsoInTransaction?.(trx);
        return true;
      });
    },
    async update(organizationId: string, id: string, changes: Partial<ToolRow>): Promise<ToolRow | undefined> {
      return inTransaction(db, async (trx) => {
        const updated = await trx
          .updateTable("tools")
          .set(changes)
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .returningAll()
          .executeTakeFirst();
        if (updated) await checkBytes(trx, updated.agentId);
        return updated;
      });
    },
    /** @returns whose tool it was */
    async delete(organizationId: string, id: string): Promise<Pick<ToolRow, "agentId"> | undefined> {
      return db
        .deleteFrom("tools")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returning("agentId")
        .executeTakeFirst();
    },
    ...formQueries(db),
  };
}

/** What visitors' pages look forms up by. */
function formQueries(db: Db) {
  return {
    /** Enabled forms of this name on the whole server, with their agents' allowed origins. */
    async enabledFormsNamed(name: string, limit: number): Promise<Array<ToolRow & { allowedOrigins: string }>> {
      return db
        .selectFrom("tools")
        .innerJoin("agents", "agents.id", "tools.agentId")
        .selectAll("tools")
        .select("agents.allowedOrigins")
        .where("tools.name", "=", name)
        .where(sql.ref("executionType"), "=", sql.lit("form"))
        .where("isEnabled", "=", 1)
        .limit(limit)
        .execute();
    },
    async enabledForm(by: "id" | "name", value: string, agentId: string | null): Promise<ToolRow | undefined> {
      return db
        .selectFrom("tools")
        .selectAll()
        .where(by, "=", value)
        .where("executionType", "=", "form")
        .where("isEnabled", "=", 1)
        .$if(agentId !== null, (query) => query.where("agentId", "=", agentId))
        .orderBy("id")
        .limit(1)
        .executeTakeFirst();
    },
  };
}

/** What every message or every call of a tool runs. */
function hotQueries(db: Db) {
  return {
    enabled: compileOnce<{ agentId: string }, ToolRow>((param) =>
      db
        .selectFrom("tools")
        .selectAll()
        .where("agentId", "=", param("agentId"))
        .where("isEnabled", "=", 1)
        .orderBy("id"),
    ),
    byId: compileOnce<{ id: string }, ToolRow>((param) =>
      db.selectFrom("tools").selectAll().where("id", "=", param("id")),
    ),
    toRun: compileOnce<{ agentId: string; id: string }, RowWithError>((param) =>
      db
        .selectFrom("tools")
        .selectAll("tools")
        // Not by a join, which costs SQLite ten times as much.
        .select(({ selectFrom }) => {
          const standing = selectFrom("toolErrors")
            .whereRef("toolId", "=", "tools.id")
            .where("recoveredAt", "is", null);
          return [standing.select("at").as("errorAt"), standing.select("message").as("errorMessage")];
        })
        .where("tools.id", "=", param("id"))
        .where("tools.agentId", "=", param("agentId"))
        .where("tools.isEnabled", "=", 1),
    ),
  };
}

/** Every reply reads an agent's enabled tools, and the dashboard reads all of them at once. */
const MAX_BYTES = 8 * 1024 * 1024;

const largeColumns = [
  "description",
  "inputSchema",
  "displayConfig",
  "mockResponse",
  "httpHeaders",
  "formSchema",
  "formPostActions",
] as const;

const toolBytes = sql<number>`sum(${sql.join(
  largeColumns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  sql` + `,
)})`;

/** @throws 409 when the agent's tools are too large with what was just written */
async function checkBytes(trx: Transaction<Tables>, agentId: string): Promise<void> {
  const tools = trx.selectFrom("tools").select(toolBytes.as("bytes")).where("agentId", "=", agentId);
  const { bytes } = await tools.executeTakeFirstOrThrow();
  if (Number(bytes) <= MAX_BYTES) return;
  throw new AppError(
    "CONFLICT",
    `The tools of an agent can hold at most ${MAX_BYTES / 1024 / 1024} MiB together. Shorten this one or delete another.`,
  );
}

/** How many tools the agent has; until the transaction ends nobody else can count them so. */
async function countLocked(trx: Transaction<Tables>, agentId: string): Promise<number> {
  // The lock is a write to the agent's counters.
  await trx
    .updateTable("agentCounters")
    .set({ conversations: sql`conversations` })
    .where("agentId", "=", agentId)
    .execute();
  const counted = trx.selectFrom("tools").where("agentId", "=", agentId);
  return Number((await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
}
