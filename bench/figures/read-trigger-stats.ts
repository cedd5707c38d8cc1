import { join } from "node:path";
import { openSqliteFile } from "../../packages/server/src/db/open.ts";
import { ms, type Row, times } from "../figure.ts";
import { authorized, startFoyer } from "../foyer-process.ts";
import { cpuPerRequest } from "../http-load.ts";
import { temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { createTriggers } from "../trigger-setup.ts";

const TRIGGERS = 10;
const DAYS = 30;
const LIMIT = 1.5;
const load = { seconds: 3, headers: authorized };

/** CPU, because SQLite works within the process: a slower query is more CPU, and others' work is not in it. */
export async function triggerStats(): Promise<Row[]> {
  using fullFolder = temporaryFolder();
  using smallFolder = temporaryFolder();
  const fullAgent = await fill(fullFolder.path, 1_000_000);
  const smallAgent = await fill(smallFolder.path, 1_000);
  await using full = await startFoyer({ dataDir: fullFolder.path });
  await using small = await startFoyer({ dataDir: smallFolder.path });
  const results = await alternate({
    subject: () => cpuPerRequest(full, `/triggers/stats?agentId=${fullAgent}`, load),
    baseline: () => cpuPerRequest(small, `/triggers/stats?agentId=${smallAgent}`, load),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: "CPU of the statistics of 1,000,000 events",
      measured: ms(subject),
      baseline: `${ms(baseline)} (1,000)`,
      ratio: times(subject / baseline),
      target: `<= ${times(LIMIT)}`,
      isMet: subject / baseline <= LIMIT,
    },
  ];
}

/** @returns an agent whose triggers had so many events on the same days, recorded as the server does */
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
