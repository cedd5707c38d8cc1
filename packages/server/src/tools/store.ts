import { sql, type Transaction } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import { hasDraft, inDraft } from "../db/draft-tables.ts";
import type { Db } from "../db/open.ts";
import type { Tables, ToolRow } from "../db/tables.ts";
import { AppError } from "../errors.ts";
import type { StandingError } from "./tool-errors.ts";

type ToolId = Pick<ToolRow, "organizationId" | "id">;
type ErrorColumns = { errorAt: number | null; errorMessage: string | null };

export type ToolStore = ReturnType<typeof createToolStore>;

export function createToolStore(db: Db) {
  const { enabled, liveHash, byId, toRun } = hotQueries(db);
  const owned = (organizationId: string) => db.selectFrom("tools").where("organizationId", "=", organizationId);
  return {
    /** The enabled tools of an agent, oldest first, and the hash of the agent's live version. */
    async enabled(agentId: string): Promise<{ tools: ToolRow[]; liveHash: string | null }> {
      const { rows } = await enabled(db, { agentId });
      const [first] = rows;
      return {
        tools: rows.map(({ liveHash: _, ...tool }) => tool),
        liveHash: (first ?? (await liveHash(db, { agentId })).rows[0])?.liveHash ?? null,
      };
    },
    /** The unresolved error of a tool, if it is still enabled. */
    async standingError(agentId: string, id: string): Promise<{ standing: StandingError } | undefined> {
      const row = (await toRun(db, { agentId, id })).rows[0];
      if (!row) return undefined;
      const { errorAt: at, errorMessage: message } = row;
      return { standing: at === null || message === null ? null : { at, message } };
    },
    /** For visitors, who know the id of a tool but do not belong to an organization. */
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
    /** Counts the tools of one agent or, with null, of the whole organization. */
    async count(organizationId: string, agentId: string | null): Promise<number> {
      const tools = agentId === null ? owned(organizationId) : owned(organizationId).where("agentId", "=", agentId);
      return Number((await tools.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /**
     * Inserts the tool, unless the agent already has `limit` tools. The agent must be locked.
     * @returns false if the limit was reached
     */
    async insert(trx: Transaction<Tables>, row: ToolRow, limit: number | null): Promise<boolean> {
      const counted = trx.selectFrom("tools").where("agentId", "=", row.agentId);
      const { n } = await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
      if (limit !== null && Number(n) >= limit) return false;
      await trx.insertInto("tools").values(row).execute();
      await checkBytes(trx, row.agentId);
      return true;
    },
    async update(trx: Transaction<Tables>, { organizationId, id }: ToolId, changes: Partial<ToolRow>) {
      const updated = await trx
        .updateTable("tools")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
      if (updated) await checkBytes(trx, updated.agentId);
      return updated;
    },
    /** @returns whether there was such a tool */
    async delete(trx: Transaction<Tables>, { organizationId, id }: ToolId): Promise<boolean> {
      const { numDeletedRows } = await trx
        .deleteFrom("tools")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    ...formQueries(db),
  };
}

/** The tools as members edit them: those of the draft, if the agent has one. */
export function createEditedTools(db: Db) {
  const live = createToolStore(db);
  const draft = createToolStore(inDraft(db));
  const storeOf = async (agentId: string) => ((await hasDraft(db, agentId)) ? draft : live);
  return {
    async list(organizationId: string, agentId: string): Promise<ToolRow[]> {
      return (await storeOf(agentId)).list(organizationId, agentId);
    },
    async get(organizationId: string, id: string): Promise<ToolRow | undefined> {
      const row = (await draft.get(organizationId, id)) ?? (await live.get(organizationId, id));
      // A tool that was deleted from the draft is still live.
      return row && (await storeOf(row.agentId)).get(organizationId, id);
    },
    /** Counts the tools of one agent or, with null, those of the whole organization that visitors get. */
    async count(organizationId: string, agentId: string | null): Promise<number> {
      return (agentId === null ? live : await storeOf(agentId)).count(organizationId, agentId);
    },
  };
}

/** Queries that look up forms for visitors' pages. */
function formQueries(db: Db) {
  return {
    /** Enabled forms of this name, oldest first, with their agents' allowed origins. */
    async enabledFormsNamed(
      name: string,
      { organizationId, after, limit }: { organizationId: string | null; after: string; limit: number },
    ): Promise<Array<{ id: string; allowedOrigins: string }>> {
      return db
        .selectFrom("tools")
        .innerJoin("agents", "agents.id", "tools.agentId")
        .select(["tools.id", "agents.allowedOrigins"])
        .where("tools.name", "=", name)
        .where(sql.ref("executionType"), "=", sql.lit("form"))
        .where("isEnabled", "=", 1)
        .where("tools.id", ">", after)
        .$if(organizationId !== null, (query) => query.where("tools.organizationId", "=", organizationId ?? ""))
        .orderBy("tools.id")
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

/** Queries that run for every message or tool call. */
function hotQueries(db: Db) {
  return {
    enabled: compileOnce<{ agentId: string }, ToolRow & { liveHash: string | null }>((param) =>
      db
        .selectFrom("tools")
        .selectAll("tools")
        .select(({ selectFrom }) =>
          selectFrom("agents").select("agents.liveHash").whereRef("agents.id", "=", "tools.agentId").as("liveHash"),
        )
        .where("agentId", "=", param("agentId"))
        .where("isEnabled", "=", 1)
        .orderBy("id"),
    ),
    liveHash: compileOnce<{ agentId: string }, { liveHash: string | null }>((param) =>
      db.selectFrom("agents").select("liveHash").where("id", "=", param("agentId")),
    ),
    byId: compileOnce<{ id: string }, ToolRow>((param) =>
      db.selectFrom("tools").selectAll().where("id", "=", param("id")),
    ),
    toRun: compileOnce<{ agentId: string; id: string }, ErrorColumns>((param) =>
      db
        .selectFrom("tools")
        // A join would cost ten times as much on SQLite.
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
  "httpBody",
  "formSchema",
  "formPostActions",
] as const;

const toolBytes = sql<number>`sum(${sql.join(
  largeColumns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
  sql` + `,
)})`;

/** @throws 409 when the agent's tools have become too large */
async function checkBytes(trx: Transaction<Tables>, agentId: string): Promise<void> {
  const tools = trx.selectFrom("tools").select(toolBytes.as("bytes")).where("agentId", "=", agentId);
  const { bytes } = await tools.executeTakeFirstOrThrow();
  if (Number(bytes) <= MAX_BYTES) return;
  throw new AppError(
    "CONFLICT",
    `The tools of an agent can have at most ${MAX_BYTES / 1024 / 1024} MiB in total. Shorten this one or delete another.`,
  );
}
