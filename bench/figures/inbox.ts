import { join } from "node:path";
import type { DatabaseAddress } from "../../packages/server/src/db/database-kind.ts";
import { startPostgres } from "../../test/postgres-server.ts";
import { ms, type Row, times } from "../figure.ts";
import { type FilledInbox, fillInbox } from "../fill-inbox.ts";
import { createAgentIn, startFoyer } from "../foyer-process.ts";
import { type MemberSession, signIn } from "../handoff-client.ts";
import { searches } from "../inbox-texts.ts";
import { temporaryFolder } from "../processes.ts";
import { quantile } from "../rounds.ts";

const TARGET_MS = 150;
const ROUNDS = 25;
/** As many conversations as the dashboard asks for at a time. */
const PAGE = 100;

/**
 * The time from a request of the dashboard to its complete response, for each tab, some views and searches of an inbox.
 * The requests take turns with one for a single conversation, which is the baseline.
 */
export async function measureInbox(conversations: number): Promise<Row[]> {
  using folder = temporaryFolder();
  const rows = await measureOn("SQLite", { folder: folder.path }, conversations);
  const postgres = await startPostgres({ settings: { fsync: "on", full_page_writes: "on" } });
  try {
    using secondFolder = temporaryFolder();
    return rows.concat(
      await measureOn("PostgreSQL", { folder: secondFolder.path, databaseUrl: postgres.url }, conversations),
    );
  } finally {
    await postgres.stop();
  }
}

type Place = { folder: string; databaseUrl?: string };

async function measureOn(name: string, { folder, databaseUrl }: Place, conversations: number): Promise<Row[]> {
  await createAgentIn(folder, databaseUrl);
  const address: DatabaseAddress = databaseUrl
    ? { kind: "postgres", url: databaseUrl }
    : { kind: "sqlite", file: join(folder, "foyer.sqlite") };
  const inbox = await fillInbox(address, conversations);
  await using foyer = await startFoyer({ dataDir: folder, ...(databaseUrl ? { databaseUrl } : {}) });
  const session = await signIn(foyer.url);
  const views = await createViews(session, inbox);
  // Awaited here, because the server ends with this scope.
  return await measureRequests(name, session, { ...listRequests(inbox), ...views });
}

function listRequests({ conversationId, agentId }: FilledInbox): Record<string, string> {
  const list = (query: string) => `/conversations?limit=${PAGE}&${query}`;
  const requests: Record<string, string> = {
    [BASELINE]: `/conversations/${conversationId}`,
    waiting: list("handler=waiting"),
    mine: list("handler=human&assignee=me"),
    unread: list("unread=true&sort=activity"),
    open: list("status=open&sort=activity"),
    resolved: list("status=resolved&sort=activity"),
    snoozed: list("status=snoozed&sort=activity"),
    "all of an agent": list(`agentId=${agentId}&sort=activity`),
  };
  for (const [kind, q] of Object.entries(searches)) {
    requests[`search, ${kind}`] = list(`agentId=${agentId}&sort=activity&q=${encodeURIComponent(q)}`);
    requests[`search in resolved, ${kind}`] = list(`status=resolved&sort=activity&q=${encodeURIComponent(q)}`);
  }
  return requests;
}

const BASELINE = "one conversation";

async function createViews(session: MemberSession, { agentId, teamId, tagIds }: FilledInbox) {
  const filters = {
    "open of a tag": { status: "open", tag: tagIds[0] },
    "resolved of an agent": { status: "resolved", agentId },
    "open of a team": { status: "open", team: teamId },
    "unread of a tag": { unread: true, tag: tagIds[1] },
  };
  const requests: Record<string, string> = {};
  for (const [name, filter] of Object.entries(filters)) {
    const { data } = await session.send<{ data: { id: string } }>("POST", "/inbox/views", { name, filter });
    requests[`view, ${name}`] = `/conversations?limit=${PAGE}&view=${data.id}`;
  }
  return requests;
}

async function measureRequests(
  database: string,
  session: MemberSession,
  requests: Readonly<Record<string, string>>,
): Promise<Row[]> {
  const durations = new Map<string, number[]>(Object.keys(requests).map((name) => [name, []]));
  const totals = new Map<string, number>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, path] of Object.entries(requests)) {
      const startedAt = performance.now();
      const response = await session.send<{ pagination?: { total: number } }>("GET", path);
      // The first round warms the caches.
      if (round > 0) durations.get(name)?.push(performance.now() - startedAt);
      totals.set(name, response.pagination?.total ?? 0);
    }
  }
  const baseline = quantile(durations.get(BASELINE) ?? [], 0.95);
  return [...durations].flatMap(([name, values]) => {
    if (name === BASELINE) return [];
    const [middle, high] = [quantile(values, 0.5), quantile(values, 0.95)];
    return [
      {
        figure: `inbox on ${database}, ${name} (${totals.get(name)}), p50 and p95`,
        measured: `${ms(middle)}, ${ms(high)}`,
        baseline: `${ms(baseline)} (${BASELINE})`,
        ratio: times(high / baseline),
        target: `<= ${TARGET_MS} ms`,
        isMet: high <= TARGET_MS,
      },
    ];
  });
}
