import { DAY_MS } from "@foyer/contract/rules/time";
import { startCleanUp } from "./db/clean-up.ts";
import type { TrashRow } from "./db/tables/trash.ts";
import type { Deps } from "./deps.ts";
import type { TrashPurge } from "./trash/service.ts";

/** The number of entries that are read at a time. */
const BATCH = 50;

type Item = Pick<TrashRow, "organizationId" | "agentId" | "id">;

/** How each kind is deleted permanently. Tools and triggers consist of their entry alone. */
type Deletions = {
  agent(item: Item): Promise<unknown>;
  conversation(item: Item): Promise<unknown>;
  document(item: Item): Promise<unknown>;
};

/**
 * Deletes what is in the trash permanently: on request, and every hour what has been there for FOYER_TRASH_DAYS. An
 * entry is first marked, after which it cannot be restored, so a deletion that a crash interrupts is finished an hour
 * later.
 */
export function createTrashPurge({ db, config, log }: Pick<Deps, "db" | "config" | "log">, deletions: Deletions) {
  async function deleteItem({ kind, ...item }: Item & Pick<TrashRow, "kind">): Promise<void> {
    if (kind === "agent" || kind === "conversation" || kind === "document") await deletions[kind](item);
    // A conversation or document takes its entry with it, and an agent does once its content is deleted.
    if (kind === "agent") return;
    await db
      .deleteFrom("trash")
      .where("id", "=", item.id)
      .where("organizationId", "=", item.organizationId)
      .where("isPurging", "=", 1)
      .execute();
  }

  async function deleteMarked(of: { organizationId?: string; id?: string | undefined } = {}): Promise<number> {
    const { organizationId, id } = of;
    for (let total = 0, after = ""; ; ) {
      const items = await db
        .selectFrom("trash")
        .select(["id", "organizationId", "agentId", "kind"])
        .where("isPurging", "=", 1)
        .where("id", ">", after)
        .$if(organizationId !== undefined, (query) => query.where("organizationId", "=", organizationId ?? ""))
        .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
        .orderBy("id")
        .limit(BATCH)
        .execute();
      for (const item of items) {
        // One that fails must not keep those of other organizations.
        await deleteItem(item).catch((error: unknown) =>
          log.error({ err: error, id: item.id }, "an entry of the trash could not be deleted; retrying in an hour"),
        );
      }
      total += items.length;
      after = items.at(-1)?.id ?? "";
      if (items.length < BATCH) return total;
    }
  }

  /** @returns the number of entries */
  async function deleteExpired(): Promise<number> {
    await db
      .updateTable("trash")
      .set({ isPurging: 1 })
      .where("trashedAt", "<=", Date.now() - config.trashDays * DAY_MS)
      .execute();
    return deleteMarked();
  }

  let stop = () => {};
  return {
    deleteExpired,
    async purge(organizationId: string, id?: string): Promise<void> {
      await deleteMarked({ organizationId, id });
    },
    start(): void {
      stop = startCleanUp(log, { "expired entries of the trash": deleteExpired });
    },
    async stop(): Promise<void> {
      stop();
    },
  } satisfies TrashPurge & Record<string, unknown>;
}
