import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import { failpoint } from "../failpoints.ts";
import { newId } from "../ids.ts";
import type { DeclaredType } from "./extract/declared-type.ts";

/**
 * The size of a part. It is small enough that reading or writing one part blocks the event loop for a few milliseconds
 * at most.
 */
const PART_BYTES = 256 * 1024;
/**
 * The age at which originals without a document are deleted, in milliseconds. Younger ones may belong to a running
 * upload.
 */
const ORPHAN_MS = HOUR_MS;
const ORPHANS_PER_BATCH = 50;
const PARTS_PER_DELETION = 4;

/**
 * A received original that no document refers to yet. `content` holds a file that fits into one part, which is stored
 * together with the document. It is null when the file is already stored.
 */
export type StoredFile = {
  id: string;
  bytes: number;
  sha256: string;
  content: Buffer | null;
  declared: DeclaredType;
};

export type FileStore = ReturnType<typeof createFileStore>;
type Owner = { organizationId: string; agentId: string };
type Inserter = Executor & Pick<Db, "insertInto">;

/**
 * Stores originals in parts. A large file is written before the transaction in which a document refers to it. A file
 * without such a reference is deleted after an hour.
 */
export function createFileStore(db: Db) {
  const insertPart = compileOnce<{ fileId: string; number: number; content: Buffer }, never>((param) =>
    db.insertInto("documentFileParts").values({
      fileId: param("fileId"),
      number: param("number"),
      content: param("content"),
    }),
  );
  const readPart = compileOnce<{ fileId: string; number: number }, { content: Buffer }>((param) =>
    db
      .selectFrom("documentFileParts")
      .select("content")
      .where("fileId", "=", param("fileId"))
      .where("number", "=", param("number")),
  );
  const deleteFile = (id: string) => deleteInParts(db, id);

  return {
    /** Reads a file part by part. Ends early if the file is deleted in the meantime. */
    async *read(fileId: string): AsyncGenerator<Buffer> {
      for (let number = 0; ; number++) {
        const part = (await readPart(db, { fileId, number })).rows[0];
        if (!part) return;
        yield part.content;
      }
    },
    /** Reads a small text file into memory. */
    async readText(fileId: string): Promise<string> {
      const parts = db.selectFrom("documentFileParts").select("content").where("fileId", "=", fileId);
      const rows = await parts.orderBy("number").execute();
      return Buffer.concat(rows.map(({ content }) => content)).toString();
    },
    deleteFile,
    deleteOrphans: (now: number) => deleteOrphans(db, now),
    /** Stores a small original within the caller's transaction. */
    async insertSmall(trx: Inserter, owner: Owner, content: Buffer): Promise<string> {
      const id = newId("file");
      await insertFile(trx, id, owner);
      for (let number = 0; number * PART_BYTES < content.length; number++) {
        const part = content.subarray(number * PART_BYTES, (number + 1) * PART_BYTES);
        await insertPart(trx, { fileId: id, number, content: part });
      }
      return id;
    },
    /**
     * Reads a stream. If it is longer than one part, it is stored while it arrives. Pass the result to
     * `insertReceived`. The caller limits the length of the stream. If the stream fails, nothing is stored.
     */
    async receive(
      owner: Owner,
      stream: AsyncIterable<Buffer> | Iterable<Buffer>,
      declared: DeclaredType,
    ): Promise<StoredFile> {
      const id = newId("file");
      const hash = createHash("sha256");
      let first: Buffer | null = null;
      let bytes = 0;
      let number = 0;
      try {
        for await (const content of inParts(stream)) {
          hash.update(content);
          bytes += content.length;
          if (first === null) {
            first = content;
            continue;
          }
          if (number === 0) {
            await insertFile(db, id, owner);
            await insertPart(db, { fileId: id, number: number++, content: first });
          }
          await insertPart(db, { fileId: id, number: number++, content });
          failpoint("file.part.stored");
          await nextTurn();
        }
      } catch (error) {
        await deleteFile(id);
        throw error;
      }
      return { id, bytes, sha256: hash.digest("base64url"), content: number === 0 ? first : null, declared };
    },
    /** Stores a received file in the transaction of its document, unless it is already stored. */
    async insertReceived(trx: Inserter, owner: Owner, { id, content }: StoredFile): Promise<void> {
      if (content === null) return;
      await insertFile(trx, id, owner);
      await insertPart(trx, { fileId: id, number: 0, content });
    },
  };
}

async function insertFile(executor: Inserter, id: string, { organizationId, agentId }: Owner): Promise<void> {
  await executor.insertInto("documentFiles").values({ id, organizationId, agentId, createdAt: Date.now() }).execute();
}

/** Deletes a file part by part, because deleting 25 MB in one statement would block other work. */
async function deleteInParts(db: Db, id: string): Promise<void> {
  failpoint("file.deleting");
  for (let hasMore = true; hasMore; ) {
    const parts = db.selectFrom("documentFileParts").select("number").where("fileId", "=", id);
    const deleted = await db
      .deleteFrom("documentFileParts")
      .where("fileId", "=", id)
      .where("number", "in", parts.orderBy("number", "desc").limit(PARTS_PER_DELETION))
      .executeTakeFirst();
    hasMore = deleted.numDeletedRows > 0n;
    await nextTurn();
  }
  await db.deleteFrom("documentFiles").where("id", "=", id).execute();
}

/** Deletes files that neither a document nor an attachment refers to. @returns the number of deleted files */
async function deleteOrphans(db: Db, now: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const orphans = await listOrphans(db, now - ORPHAN_MS);
    for (const { id } of orphans) await deleteInParts(db, id);
    deleted += orphans.length;
    if (orphans.length < ORPHANS_PER_BATCH) return deleted;
  }
}

function listOrphans(db: Db, before: number): Promise<Array<{ id: string }>> {
  return db
    .selectFrom("documentFiles")
    .select("id")
    .where("createdAt", "<", before)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("documents").select("id").whereRef("documents.fileId", "=", "documentFiles.id"))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("attachments").select("id").whereRef("attachments.fileId", "=", "documentFiles.id"))),
    )
    .limit(ORPHANS_PER_BATCH)
    .execute();
}

/** Splits a stream into parts of equal size; the last one may be shorter. */
async function* inParts(stream: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    waiting.push(chunk);
    size += chunk.length;
    while (size >= PART_BYTES) {
      const joined = Buffer.concat(waiting);
      yield joined.subarray(0, PART_BYTES);
      const rest = joined.subarray(PART_BYTES);
      waiting = [rest];
      size = rest.length;
    }
  }
  if (size > 0) yield Buffer.concat(waiting);
}
