import { expect, it } from "vitest";
import { type Attached, createAttachmentLoad } from "./attachment-load.ts";
import { faultRun } from "./fault-run.ts";
import { authorized, call, createFaultSite, type FaultSite, preload } from "./fault-site.ts";
import { runUntilKilled } from "./random-death.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "file.part.stored",
  "attachment.received",
  "attachment.committing",
  "attachment.committed",
  "attachment.attaching",
  "file.deleting",
];
const HOUR_MS = 3_600_000;
/** The number of kills after which an hour is simulated, so that a long run that is interrupted has a result. */
const CHECK_EVERY = 50;
/** The maximum number of pictures that are downloaded at the end. */
const DOWNLOADED = 200;

const { attachmentKills: kills, seed, timeout } = faultRun;

it.each(faultRun.loads)(
  `no message names a missing file, and no file is left over, in ${kills} kills on $database with $clients clients (FOYER_FAULT_SEED=${seed})`,
  { timeout: Math.max(timeout, kills * 60_000) },
  async ({ database, clients }) => {
    const site = await createFaultSite(database);
    try {
      const agentId = await prepare(site);
      const load = createAttachmentLoad(agentId, clients);
      const random = seededRandom(seed);
      const deaths = new Map<string, number>();
      for (let kill = 1; kill <= kills; kill++) {
        const cause = await runUntilKilled(site, random, {
          failpoints,
          maxTimes: 6,
          maxDelayMs: 600,
          maxLifetimeMs: faultRun.isLong ? 8_000 : 2_000,
          load: load.run,
        });
        deaths.set(cause, (deaths.get(cause) ?? 0) + 1);
        await site.allGone();
        await site.requireIntact();
        expect(await listMissing(site)).toEqual([]);
        expect(await listForgotten(site, load.attached)).toEqual([]);
        if (kill % CHECK_EVERY !== 0 && kill < kills) continue;
        const before = await listUnused(site);
        await simulateHour(site, load.attached);
        const tally = [...deaths].map(([where, count]) => `${count} ${where}`).sort();
        console.log(
          `${database}, ${clients} clients: ${kill} kills (${tally.join(", ")}), ${load.attached.length} messages and notes, ` +
            `${before.length} unused files before the hour, 0 after it, FOYER_FAULT_SEED=${seed}`,
        );
      }
    } finally {
      await site.remove();
    }
  },
);

async function prepare(site: FaultSite): Promise<string> {
  return site.serveHere(async (server) => {
    const attachments = { images: true, files: true };
    const { data } = await call<{ data: { id: string } }>(server, "POST", "/agents", { name: "Harbour", attachments });
    return data.id;
  });
}

/** Starts a server whose clock is an hour ahead, and waits until it has deleted what no message has. */
async function simulateHour(site: FaultSite, attached: readonly Attached[]): Promise<void> {
  const env = { FOYER_FAULT_CLOCK: String(HOUR_MS + 1_000) };
  const server = await site.start({ preload: preload("clock"), env });
  await expect.poll(() => listUnused(site), { timeout: 60_000 }).toEqual([]);
  expect(await listMissing(site)).toEqual([]);
  for (const { conversationId, attachments } of attached.filter(({ isDeleted }) => !isDeleted).slice(-DOWNLOADED)) {
    for (const id of attachments) {
      const response = await fetch(`${server.url}/conversations/${conversationId}/attachments/${id}`, {
        headers: authorized,
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  }
  server.kill("SIGTERM");
  await server.exited;
  await site.allGone();
}

/** The attachments of messages, notes and uploads whose stored content is not as long as their row says. */
async function listMissing({ db }: FaultSite): Promise<string[]> {
  const rows = await db
    .selectFrom("attachments")
    .innerJoin("documentFiles", "documentFiles.id", "attachments.fileId")
    .innerJoin("documentFileParts", "documentFileParts.fileId", "attachments.fileId")
    .select((x) => ["attachments.id", x.fn.sum(x.fn<number>("octet_length", ["content"])).as("bytes")])
    .groupBy("attachments.id")
    .execute();
  const stored = new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
  const listed = await db.selectFrom("attachments").select(["id", "size"]).execute();
  return listed.flatMap(({ id, size }) => (stored.get(id) === size ? [] : [id]));
}

/** The acknowledged attachments that their message or note does not have. */
async function listForgotten({ db }: FaultSite, attached: readonly Attached[]): Promise<string[]> {
  const rows = await db
    .selectFrom("attachments")
    .select("id")
    .where((x) => x.or([x("messageId", "is not", null), x("noteId", "is not", null)]))
    .execute();
  const stored = new Set(rows.map(({ id }) => id));
  return attached.flatMap(({ attachments, isDeleted }) =>
    isDeleted ? [] : attachments.filter((id) => !stored.has(id)),
  );
}

/** The files that no message or note has, with or without the row of an upload, and parts of files that have no row. */
async function listUnused({ db }: FaultSite): Promise<string[]> {
  const used = db
    .selectFrom("attachments")
    .select("fileId")
    .where((x) => x.or([x("messageId", "is not", null), x("noteId", "is not", null)]));
  const files = await db.selectFrom("documentFiles").select("id").where("id", "not in", used).execute();
  const parts = await db
    .selectFrom("documentFileParts")
    .select("fileId as id")
    .distinct()
    .where("fileId", "not in", db.selectFrom("documentFiles").select("id"))
    .execute();
  return [...files, ...parts].map(({ id }) => id);
}
