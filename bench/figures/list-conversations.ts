import type { Row } from "../figure.ts";
import { fillDatabase } from "../fill-database.ts";
import { createAgentIn } from "../foyer-process.ts";
import { compareSizes } from "../size-figure.ts";

export function measureConversationsByActivity(): Promise<Row[]> {
  return compareSizes(
    "CPU of the first page of 1,000,000 conversations by activity",
    (agentId) => `/conversations?agentId=${agentId}&sort=activity`,
    fill,
  );
}

async function fill(dataDir: string, conversations: number): Promise<string> {
  const agentId = await createAgentIn(dataDir);
  fillDatabase(dataDir, agentId, conversations);
  return agentId;
}
