import { sql } from "kysely";
import { containsText } from "../../db/contains-text.ts";
import type { DatabaseKind } from "../../db/database-kind.ts";
import type { Deps } from "../../deps.ts";
import { keysFrom, type QueryKeys, queryKeysOf, toToken } from "./text-keys.ts";

/** The number of keys with which the index is searched. More hardly exclude anything, because the texts are compared. */
const MAX_KEYS = 12;
/**
 * The number of candidates up to which a search begins with them. With more, it begins with the list in its order and
 * ends when it has found enough.
 */
const FEW = 2_000;
/** With more candidates than this, the list has enough matches so soon that collecting the candidates takes longer. */
const MANY = 20_000;

/** A search for a text in the titles and messages of an organization's conversations. */
export type TextSearch = {
  organizationId: string;
  text: string;
  keys: QueryKeys | null;
  /** how many conversations can contain the text */
  candidates: "few" | "some" | "many";
};

/** Prepares a search: looks up how many conversations can contain the text. */
export async function prepareTextSearch(
  { db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">,
  organizationId: string,
  text: string,
): Promise<TextSearch> {
  const keys = queryKeysOf(organizationId, text.toLowerCase(), MAX_KEYS);
  if (keys === null) return { organizationId, text, keys, candidates: "many" };
  const counted = db
    .selectFrom(sql<{ found: 1 }>`(select 1 as found ${fromIndex(databaseKind, keys)} limit ${MANY + 1})`.as("found"))
    .select((x) => x.fn.countAll<number>().as("n"));
  const [row] = await reads.run(counted, { lane: "search", owner: organizationId });
  const found = Number(row?.n ?? 0);
  return { organizationId, text, keys, candidates: found <= FEW ? "few" : found <= MANY ? "some" : "many" };
}

/** The condition that a conversation contains the text. */
export function hasText(kind: DatabaseKind, { organizationId, text, keys, candidates }: TextSearch) {
  const contains = sql<boolean>`(${containsText(kind, "title", text)} or exists (select 1 from messages
    where messages."conversationId" = conversations.id and ${containsText(kind, "content", text)}))`;
  if (keys === null || candidates === "many") return contains;
  const ids = sql`(select "searchTexts"."conversationId" ${fromIndex(kind, keys)} union all ${notIndexed(organizationId)})`;
  // The database could begin with the candidates even though there are many. It cannot look into a `case`.
  return candidates === "few"
    ? sql<boolean>`conversations.id in ${ids} and ${contains}`
    : sql<boolean>`case when conversations.id in ${ids} then ${contains} else ${sql.lit(kind === "sqlite" ? 0 : false)} end`;
}

function fromIndex(kind: DatabaseKind, { all, starts }: QueryKeys) {
  if (kind === "sqlite") {
    const query = [...all.map(toToken), ...starts.map((start) => `${toToken(start).slice(0, -1)}*`)].join(" AND ");
    return sql`from "searchKeys" cross join "searchTexts" on "searchTexts".number = "searchKeys".rowid
      where "searchKeys" match ${query}`;
  }
  const conditions = [
    ...(all.length > 0 ? [sql`keys @> ${toArray(all)}`] : []),
    ...starts.map((start) => sql`keys && ${toArray(keysFrom(start))}`),
  ];
  return sql`from "searchTexts" where ${sql.join(conditions, sql` and `)}`;
}

const toArray = (keys: readonly number[]) => sql`${`{${keys.join(",")}}`}::integer[]`;

/** The conversations with messages that are not indexed yet, of which there are few unless the server was just updated. */
function notIndexed(organizationId: string) {
  // With a join instead of the subquery, SQLite would read all conversations before it looks up the progress.
  return sql`select recent.id from agents join conversations as recent on recent."agentId" = agents.id
    where agents."organizationId" = ${organizationId} and recent."updatedAt" >= coalesce(
      (select "searchProgress"."updatedAt" from "searchProgress" where "searchProgress"."agentId" = agents.id), 0)`;
}
