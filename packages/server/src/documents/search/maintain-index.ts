import { setTimeout as rest } from "node:timers/promises";
import { type IndexConnection, placeholders } from "./index-connection.ts";
import { type MergedSegment, mergeSegments } from "./merge-segments.ts";

/**
 * The maximum numbers of single-document segments, which searches read one by one. When they are exceeded, the segments
 * are merged.
 */
const MAX_DOCUMENTS = 32;
const MAX_DOCUMENT_BYTES = 256_000;
/** The limits of one merge, whose data is collected in memory. */
const MERGED_AT_ONCE = 256;
const MERGED_BYTES = 8_000_000;
/** The number of segments of one level that are merged into one segment of the next level. */
const FAN_IN = 8;
/** The share of deleted chunks at which a segment is rewritten. */
const MAX_DEAD = 0.2;
const ROWS_DELETED_AT_ONCE = 500;

type Candidate = MergedSegment & { bytes: number };

/**
 * Merges segments until few are left, and deletes the rows of merged ones. Only one process at a time maintains an
 * agent's index; in other processes the call returns immediately.
 */
export function maintainAgent(connection: IndexConnection, agentId: string): Promise<void> {
  return connection.alone(agentId, async () => {
    await connection.all(`update "indexSegments" set state = 'dead' where "agentId" = ? and state = 'building'`, [
      agentId,
    ]);
    await deleteRetiredVectors(connection, agentId);
    for (;;) {
      await deleteDeadSegments(connection, agentId);
      const segments = await connection.all<Candidate>(
        `select id, "organizationId", "agentId", level, chunks, "deadChunks", tokens, languages, analysis,
           "firstNumber", "lastNumber", bytes from "indexSegments" where "agentId" = ? and state = 'live' order by id`,
        [agentId],
      );
      const next = nextMerge(segments);
      if (next === null) return;
      await mergeSegments(connection, next.sources, next.level);
    }
  });
}

/** The segments to merge next and the level of the result; null when nothing needs to be merged. */
function nextMerge<S extends Omit<Candidate, "organizationId" | "agentId">>(
  segments: readonly S[],
): { sources: S[]; level: number } | null {
  const single = segments.filter(({ level }) => level === 0);
  const bytes = single.reduce((sum, segment) => sum + segment.bytes, 0);
  if (single.length >= MAX_DOCUMENTS || bytes >= MAX_DOCUMENT_BYTES) {
    return { sources: takeMergeable(single), level: 1 };
  }
  const levels = [...new Set(segments.map(({ level }) => level))].filter((level) => level > 0).sort((a, b) => a - b);
  for (const level of levels) {
    const same = segments.filter((segment) => segment.level === level);
    if (same.length >= FAN_IN) return { sources: same.slice(0, FAN_IN), level: level + 1 };
  }
  const worn = segments.find(({ level, deadChunks, chunks }) => level > 0 && deadChunks > chunks * MAX_DEAD);
  return worn ? { sources: [worn], level: worn.level } : null;
}

function takeMergeable<S extends { bytes: number }>(segments: readonly S[]): S[] {
  let bytes = 0;
  return segments.slice(0, MERGED_AT_ONCE).filter((segment, index) => {
    bytes += segment.bytes;
    return index === 0 || bytes <= MERGED_BYTES;
  });
}

/** Agents whose index needs maintenance, for example because a process crashed during a merge. */
export async function findAgentsToMaintain(connection: IndexConnection): Promise<string[]> {
  const rows = await connection.all<{ agentId: string }>(
    `select distinct "agentId" from (
       select "agentId" from "indexSegments" where state <> 'live'
       union all
       select "agentId" from "indexSegments" where state = 'live' group by "agentId", level
         having count(*) >= ${MAX_DOCUMENTS} or (level > 0 and count(*) >= ${FAN_IN})
           or sum(bytes) >= ${MAX_DOCUMENT_BYTES} or sum("deadChunks") > sum(chunks) * ${MAX_DEAD}
       union all
       select "agentId" from "agentEmbeddings" where "isRetired" = 1
       union all
       select "agentId" from "agentIndexes" where not exists (select 1 from agents where agents.id = "agentId")
     ) as found`,
  );
  return rows.map(({ agentId }) => agentId);
}

/**
 * Deletes the chunks of documents that no longer exist, and of versions that were replaced or never became current.
 * They are normally deleted together with the document or version; those found here were left by a process that ended.
 */
export async function deleteStrayChunks(connection: IndexConnection): Promise<void> {
  // Advances through the index by one step per document, regardless of its number of chunks.
  const suspects = await connection.all<{ id: string }>(
    `with recursive found(id) as (
       select min("documentId") from "documentChunks"
       union all
       select (select min("documentId") from "documentChunks" where "documentId" > found.id) from found
       where found.id is not null
     )
     select id from found where id is not null and not exists (
       select 1 from "indexedDocuments" d where d."documentId" = found.id
         and d.version = (select min(version) from "documentChunks" c where c."documentId" = found.id)
         and d.version = (select max(version) from "documentChunks" c where c."documentId" = found.id))`,
  );
  for (const { id } of suspects) {
    const versions = await connection.all<{ version: number }>(
      `select distinct version from "documentChunks" where "documentId" = ?`,
      [id],
    );
    // Read the entries after the versions. A version that has neither an entry nor a job by now will never get one.
    const used = await connection.all<{ version: number }>(
      `select version from "indexedDocuments" where "documentId" = ?
       union select version from "documentJobs" where "documentId" = ?`,
      [id, id],
    );
    for (const { version } of versions.filter((stored) => used.every(({ version: kept }) => kept !== stored.version))) {
      await deleteInSteps(connection, {
        table: "documentChunks",
        key: `"agentId", number`,
        where: `"documentId" = ? and version = ?`,
        values: [id, version],
      });
    }
  }
}

/** Deletes the index of a deleted agent in small transactions. */
export async function removeDeletedAgent(connection: IndexConnection, agentId: string): Promise<void> {
  const agents = await connection.all(`select 1 from agents where id = ?`, [agentId]);
  if (agents.length > 0) return;
  await connection.all(`update "indexSegments" set state = 'dead' where "agentId" = ?`, [agentId]);
  await deleteDeadSegments(connection, agentId);
  await deleteInSteps(connection, {
    table: "documentChunks",
    key: `"agentId", number`,
    where: `"agentId" = ?`,
    values: [agentId],
  });
  await connection.all(`update "agentEmbeddings" set "isRetired" = 1 where "agentId" = ?`, [agentId]);
  await deleteRetiredVectors(connection, agentId);
  await deleteInSteps(connection, {
    table: "indexedDocuments",
    key: `"documentId"`,
    where: `"agentId" = ?`,
    values: [agentId],
  });
  await connection.all(`delete from "agentIndexes" where "agentId" = ?`, [agentId]);
}

/** Deletes the vectors of models that have been replaced. */
async function deleteRetiredVectors(connection: IndexConnection, agentId: string) {
  const retired = await connection.all<{ model: string }>(
    `select model from "agentEmbeddings" where "agentId" = ? and "isRetired" = 1`,
    [agentId],
  );
  for (const { model } of retired) {
    for (const [table, key] of [
      ["vectorSigns", `"agentId", model, batch, number`],
      ["chunkVectors", `"agentId", model, number`],
    ] as const) {
      await deleteInSteps(connection, {
        table,
        key,
        where: `"agentId" = ? and model = ?`,
        values: [agentId, model],
      });
    }
    await connection.all(`delete from "agentEmbeddings" where "agentId" = ? and model = ?`, [agentId, model]);
  }
}

async function deleteDeadSegments(connection: IndexConnection, agentId: string) {
  const dead = await connection.all<{ id: number }>(
    `select id from "indexSegments" where "agentId" = ? and state = 'dead'`,
    [agentId],
  );
  for (const { id } of dead) {
    await deleteInSteps(connection, {
      table: "indexPostings",
      key: `"segmentId", term, block`,
      where: `"segmentId" = ?`,
      values: [id],
    });
  }
  const ids = dead.map(({ id }) => id);
  if (ids.length > 0) await connection.all(`delete from "indexSegments" where id in (${placeholders(ids)})`, ids);
}

type Deletion = { table: string; key: string; where: string; values: Array<string | number> };

async function deleteInSteps(connection: IndexConnection, { table, key, where, values }: Deletion) {
  for (;;) {
    const startedAt = performance.now();
    const deleted = await connection.writing(() =>
      connection.all(
        `delete from "${table}" where (${key}) in
           (select ${key} from "${table}" where ${where} limit ${ROWS_DELETED_AT_ONCE}) returning 1`,
        values,
      ),
    );
    if (deleted.length < ROWS_DELETED_AT_ONCE) return;
    await rest(Math.min(20, Math.ceil(performance.now() - startedAt)));
  }
}
