import type { DatabaseName } from "./fault-site.ts";

/** `npm run test:faults` runs the full campaign. The usual suite runs a short form of it. */
const isLong = process.env.FOYER_FAULT_RUN === "long";

type Load = { database: DatabaseName; clients: number };
const both: DatabaseName[] = ["SQLite", "PostgreSQL"];
const loads: Load[] = [
  { database: "SQLite", clients: 1 },
  { database: "PostgreSQL", clients: 8 },
];

export const faultRun = {
  isLong,
  databases: isLong ? both : both.slice(0, 1),
  loads: isLong ? loads : loads.slice(0, 1),
  kills: Number(process.env.FOYER_FAULT_KILLS ?? (isLong ? 200 : 3)),
  /** in the test that ingests documents */
  documentKills: Number(process.env.FOYER_FAULT_KILLS ?? (isLong ? 500 : 2)),
  /** in the test that attaches pictures */
  attachmentKills: Number(process.env.FOYER_FAULT_KILLS ?? (isLong ? 500 : 3)),
  /** in the test that hands conversations over */
  handoffKills: Number(process.env.FOYER_FAULT_KILLS ?? (isLong ? 200 : 2)),
  /** in the test that records events, which continues until it has recorded `events` */
  eventKills: Number(process.env.FOYER_FAULT_KILLS ?? (isLong ? 200 : 2)),
  events: isLong ? Number(process.env.FOYER_FAULT_EVENTS ?? 100_000) : 0,
  /** the same seed replays a run */
  seed: Number(process.env.FOYER_FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31)),
  /** of one test, in milliseconds; on a busy machine, starting a server takes seconds */
  timeout: isLong ? 3_600_000 : 120_000,
};
