import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Compilable, CompiledQuery } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { BackgroundReads } from "../db/background-reads.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open.ts";
import { createExportedRows } from "./exported-rows.ts";

it.each([1, 100])(
  "looks up the rows of %d conversations on SQLite, and does not read the organization's",
  async (count) => {
    const folder = mkdtempSync(join(tmpdir(), "foyer-export-"));
    const opened = openDatabase({ kind: "sqlite", file: join(folder, "foyer.db") }, () => {});
    onTestFinished(async () => {
      await opened.db.destroy();
      rmSync(folder, { recursive: true });
    });
    await migrate(opened);
    const plans: string[] = [];
    const run = async (query: Compilable) => {
      const { sql, parameters } = query.compile();
      const explain = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
      const { rows } = await opened.db.executeQuery<{ detail: string }>(explain);
      plans.push(rows[0]?.detail ?? "");
      return [];
    };
    const rows = createExportedRows({ db: opened.db, reads: { run } as unknown as BackgroundReads }, "org_1");
    const ids = Array.from({ length: count }, (_, index) => `id_${index}`);
    const conversations = ids.map((id) => ({
      id,
      agentId: "agent_1",
      sessionId: id,
      userId: null,
      userEmail: null,
      isUserVerified: 0 as const,
      createdAt: 0,
      updatedAt: 0,
    }));
    const batch = { conversations, submissionIds: ids, sessionIds: ids, counterKeys: ids };
    for (const read of Object.values(rows)) for await (const _ of read(batch)) expect(_).toBeUndefined();
    expect(plans).toHaveLength(11);
    for (const plan of plans) expect(plan).toMatch(/\((conversationId|submissionId|eventId|sessionId)=|visitor=/);
  },
);
