import type { Db } from "../db/open.ts";
import { createFileStore } from "./file-store.ts";

/** Deletes originals that no document refers to, such as those of interrupted uploads. @returns how many */
export function deleteUnusedOriginals(db: Db, now: number): Promise<number> {
  return createFileStore(db).deleteOrphans(now);
}
