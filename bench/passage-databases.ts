import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import { migrate } from "../packages/server/src/db/migrate.ts";
import { openDatabase } from "../packages/server/src/db/open.ts";
import { inTransaction } from "../packages/server/src/db/transaction.ts";
import { replaceInIndex } from "../packages/server/src/documents/search/passage-index.ts";
import { createPassageSearch } from "../packages/server/src/documents/search/passage-search.ts";
import type { PreparedDocument } from "../packages/server/src/documents/search/prepare-document.ts";
import type { PassageHit } from "../packages/server/src/documents/search/search-index.ts";
import { startPostgres } from "../test/postgres-server.ts";

export const organizationId = "org_bench";

/** A separate document index on one of the databases. */
export type PassageDatabase = {
  name: string;
  add(agentId: string, documentId: string, prepared: PreparedDocument): Promise<void>;
  address: DatabaseAddress;
  /** Creates an agent without passages. */
  addAgent(agentId: string): Promise<void>;
  /** Merges the added segments. */
  settle(agentId: string): Promise<void>;
  search(agentId: string, text: string, limit: number): Promise<PassageHit[]>;
  /** Reads 50 passages by their numbers, which is the last step of every search. */
  readDirectly(agentId: string): Promise<void>;
};

/** Runs `work` with an index on SQLite and one on PostgreSQL, both in temporary folders. */
export async function withBothDatabases(work: (databases: readonly PassageDatabase[]) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-retrieval-"));
  const server = await startPostgres();
  const sqlite = await open("SQLite", { kind: "sqlite", file: join(folder, "foyer.sqlite") });
  const postgres = await open("PostgreSQL", { kind: "postgres", url: server.url });
  try {
    await work([sqlite, postgres]);
  } finally {
    await Promise.all([sqlite.close(), postgres.close()]);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function open(name: string, address: DatabaseAddress): Promise<PassageDatabase & { close(): Promise<void> }> {
  const opened = openDatabase(address, () => {});
  await migrate(opened);
  const passages = createPassageSearch(opened, console);
  const agents = new Set<string>();
  return {
    name,
    address,
    addAgent: (agentId) => addAgent(opened.db, agentId),
    async add(agentId, documentId, prepared) {
      if (!agents.has(agentId)) await addAgent(opened.db, agentId);
      agents.add(agentId);
      const scope = { organizationId, agentId, documentId: `${agentId}/${documentId}`, version: 1 };
      await inTransaction(opened.db, (trx) => replaceInIndex(trx, scope, { prepared }));
    },
    async settle(agentId) {
      passages.maintain(agentId);
      await passages.settled();
    },
    async search(agentId, text, limit) {
      const hits = await passages.search({ organizationId, agentId, queries: [text], limit });
      return hits.map((hit) => ({ ...hit, documentId: hit.documentId.slice(agentId.length + 1) }));
    },
    async readDirectly(agentId) {
      const numbers = Array.from({ length: 50 }, (_, index) => index * 2);
      const chunks = opened.db.selectFrom("documentChunks").select("text").where("agentId", "=", agentId);
      await chunks.where("number", "in", numbers).execute();
    },
    async close() {
      await passages.close();
      await opened.db.destroy();
    },
  };
}

/** Creates an agent, because maintenance deletes the index of an agent that does not exist. */
async function addAgent(db: ReturnType<typeof openDatabase>["db"], agentId: string) {
  await db
    .insertInto("organizations")
    .values({
      id: organizationId,
      name: "Bench",
      slug: "bench",
      logo: null,
      metadata: null,
      plan: "pro",
      createdAt: "2026-01-01T00:00:00.000Z",
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto("agents")
    .values({
      id: agentId,
      organizationId,
      name: agentId,
      slug: agentId,
      model: null,
      systemPrompt: null,
      temperature: 70,
      widget: "{}",
      allowedOrigins: "[]",
      allowedImageHosts: "[]",
      requireIdentity: 0,
      identitySecret: "",
      monthlyTokenBudget: null,
      budgetMessage: null,
      createdAt: 0,
      updatedAt: 0,
    })
    .execute();
}
