import { join } from "node:path";
import { openSqliteFile } from "../../packages/server/src/db/sqlite/file.ts";
import type { Row } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { compareSizes } from "../size-figure.ts";
import { createTriggers } from "../trigger-setup.ts";

const TRIGGERS = 10;
const DAYS = 30;

export function measureTriggerStats(): Promise<Row[]> {
  return compareSizes(
    "CPU of the statistics of 1,000,000 events",
    (agentId) => `/triggers/stats?agentId=${agentId}`,
    fill,
  );
}

/** @returns an agent whose triggers have this many events on the same days, recorded as the server does */
async function fill(dataDir: string, events: number): Promise<string> {
  const agentId = await makeTriggers(dataDir);
  const database = openSqliteFile(join(dataDir, "foyer.sqlite"));
  try {
    database.transaction(() => {
      database.prepare(insertEvents).run({ agentId, events });
      database.prepare(countEvents).run();
    })();
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
  return agentId;
}

async function makeTriggers(dataDir: string): Promise<string> {
  await using foyer = await startFoyer({ dataDir });
  const agentId = await foyer.createAgent();
  await createTriggers(foyer.url, agentId, TRIGGERS);
  return agentId;
}

const insertEvents = `
  insert into "triggerEvents" ("agentId", "triggerId", "triggerName", "triggerType", "actionType", "eventType",
    "sessionId", "pagePath", day, "createdAt")
  with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < $events)
  select $agentId, id, name, "triggerType", "actionType", iif(n % 7 = 0, 'converted', 'fired'),
    printf('session-%08d', n / 4), '/pricing', date('now', printf('-%d days', n / ${TRIGGERS} % ${DAYS})),
    unixepoch() * 1000
  from numbers join (select *, row_number() over (order by id) - 1 as number from triggers) on number = n % ${TRIGGERS}`;

const countEvents = `
  insert into "triggerDays" ("triggerId", day, fired, converted)
  select "triggerId", day, sum("eventType" = 'fired'), sum("eventType" = 'converted')
  from "triggerEvents" group by "triggerId", day`;
