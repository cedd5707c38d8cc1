import { join } from "node:path";
import { openSqliteFile } from "../../packages/server/src/db/sqlite/file.ts";
import type { Row } from "../figure.ts";
import { createForm } from "../form-setup.ts";
import { startFoyer } from "../foyer-process.ts";
import { compareSizes } from "../size-figure.ts";

const FORMS = 5;
/** Fewer days than impressions are kept for, so that none are deleted during the measurement. */
const DAYS = 80;

export function measureFormAnalytics(): Promise<Row[]> {
  return compareSizes(
    "CPU of the analytics of 1,000,000 submissions",
    (agentId) => `/form-submissions/analytics?agentId=${agentId}`,
    fill,
  );
}

/** An agent whose forms have this many submissions, spread over the same days, counted as the server does. */
async function fill(dataDir: string, submissions: number): Promise<string> {
  const agentId = await makeForms(dataDir);
  const database = openSqliteFile(join(dataDir, "foyer.sqlite"));
  try {
    database.transaction(() => {
      database.prepare(insertSubmissions).run({ agentId, submissions, firstDay: Date.now() - DAYS * 86_400_000 });
      database.prepare(insertInstances).run();
      database.prepare(countDays).run();
      database.prepare(countFields).run();
    })();
    database.pragma("wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
  return agentId;
}

async function makeForms(dataDir: string): Promise<string> {
  await using foyer = await startFoyer({ dataDir });
  const agentId = await foyer.createAgent();
  for (let index = 0; index < FORMS; index++) await createForm(foyer.url, agentId, `contact_${"abcde"[index]}`);
  return agentId;
}

const insertSubmissions = `
  insert into submissions (id, "organizationId", "agentId", "toolId", "toolName", "executionMode", "formData",
    "fieldsCompleted", "formInstanceId", status, "createdAt", "updatedAt")
  with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < $submissions),
    forms as (select *, row_number() over (order by id) - 1 as place from tools where "agentId" = $agentId)
  select printf('sub_%026d', n), "organizationId", "agentId", forms.id, name, 'webhook', '{"name":"Ada"}', '["name"]',
    printf('sub_%026d', n), iif(n % 10 = 0, 'webhook_failed', 'webhook_success'),
    $firstDay + n / ${FORMS} % ${DAYS} * 86400000, $firstDay
  from numbers join forms on forms.place = n % ${FORMS}`;

const dayOf = `date("createdAt" / 1000, 'unixepoch')`;

const insertInstances = `
  insert into "formInstances" ("toolId", id, "agentId", day, "isStarted", fields)
  select "toolId", "formInstanceId", "agentId", ${dayOf}, 1, '["name"]' from submissions`;

const countDays = `
  insert into "formDays" ("toolId", day, "agentId", impressions, started, submitted, successful, failed)
  select "toolId", ${dayOf}, "agentId", count(*), count(*), count(*), sum(status = 'webhook_success'),
    sum(status = 'webhook_failed')
  from submissions group by 1, 2, 3`;

const countFields = `
  insert into "formFieldDays" ("toolId", day, field, "agentId", completed)
  select "toolId", ${dayOf}, 'name', "agentId", count(*) from submissions group by 1, 2, 4`;
