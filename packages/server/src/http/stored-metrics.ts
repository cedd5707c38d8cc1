import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";
import type { Deps } from "../deps.ts";

type StoredRows = { pool: "events" | "idempotency_responses"; type: string; rows: number; bytes: number };

/** How long the numbers of a read are exported, in milliseconds, because each read scans both tables. */
const VALID_MS = 60_000;

/**
 * Adds the number and the bytes of the stored events, by type, and of the responses stored for Idempotency-Keys. They
 * are read from the database and are the same in every process.
 */
export function addStoredMetrics(
  registry: Registry,
  { db, reads, log }: Pick<Deps, "db" | "reads" | "log">,
  now = Date.now,
): void {
  const count = sql<number>`count(*)`;
  const events = db
    .selectFrom("events")
    .select(["type", count.as("rows"), sql<number>`sum(octet_length(data))`.as("bytes")])
    .groupBy("type");
  const responses = db
    .selectFrom("idempotencyKeys")
    .select([count.as("rows"), sql<number>`coalesce(sum(octet_length(answer)), 0)`.as("bytes")]);
  const lane = { lane: "list", owner: "metrics" } as const;

  async function read(): Promise<StoredRows[]> {
    const [ofEvents, ofResponses] = await Promise.all([reads.run(events, lane), reads.run(responses, lane)]);
    return [
      ...ofEvents.map((row) => ({ pool: "events" as const, ...toNumbers(row), type: row.type })),
      ...ofResponses.map((row) => ({ pool: "idempotency_responses" as const, ...toNumbers(row), type: "response" })),
    ];
  }

  let latest: { at: number; rows: Promise<StoredRows[]> } | null = null;
  function readAtMostOnceAMinute(): Promise<StoredRows[]> {
    if (!latest || now() - latest.at >= VALID_MS) {
      const rows = read().catch((error: unknown) => {
        // Keep exporting the other metrics, because operators need them most when the database fails.
        log.warn({ err: error }, "Cannot count the stored events and responses");
        return [];
      });
      latest = { at: now(), rows };
    }
    return latest.rows;
  }

  const gauges = {
    foyer_stored_rows: { help: "Stored events by type, and stored responses", value: "rows" },
    foyer_stored_bytes: { help: "Bytes of the stored events by type, and of the stored responses", value: "bytes" },
  } as const;
  for (const [name, { help, value }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help: `${help}, in all processes; absent if the database cannot be read`,
      labelNames: ["pool", "type"],
      registers: [registry],
      async collect() {
        this.reset();
        for (const { pool, type, ...row } of await readAtMostOnceAMinute()) this.set({ pool, type }, row[value]);
      },
    });
  }
}

/** PostgreSQL returns counts and sums as strings. */
function toNumbers({ rows, bytes }: { rows: number; bytes: number }) {
  return { rows: Number(rows), bytes: Number(bytes) };
}
