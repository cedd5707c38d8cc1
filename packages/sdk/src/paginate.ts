/** The response of a list endpoint: one array of items, and the position of this page in the whole list. */
type Page = { pagination: { total: number; limit: number; offset: number; cursor?: string | null } };

type Item<Answer> = {
  [Key in Exclude<keyof Answer, "pagination">]: Answer[Key] extends ReadonlyArray<infer T> ? T : never;
}[Exclude<keyof Answer, "pagination">];

type QueryOf<List extends (query: never) => unknown> = NonNullable<Parameters<List>[0]>;

/**
 * Iterates over every item of a paginated list, requesting one page after another:
 *
 * for await (const conversation of paginate(owner.listConversations, { agentId })) { … }
 *
 * Lists are ordered newest first, so an item that arrives during the iteration moves the others down. An item that
 * shows up again on the next page for that reason is yielded once. With `sort: "activity"`, pages follow the server's
 * cursor, so conversations that move to the top during the iteration do not shift the others.
 *
 * @param list a call of the management client whose answer has `pagination`
 * @param query its input; `limit` sets the page size (100 by default), and `offset` the start
 */
export async function* paginate<List extends (query: never) => Promise<Page>>(
  list: List,
  query: QueryOf<List>,
): AsyncGenerator<Item<Awaited<ReturnType<List>>>, void, undefined> {
  // The input of a list endpoint always accepts a limit and an offset, which the generic type cannot express.
  const request = list as unknown as (query: object) => ReturnType<List>;
  const { limit = 100, offset: firstOffset = 0, ...filters } = query as { limit?: number; offset?: number };
  const seen = new Set<unknown>();
  let offset = firstOffset;
  let position: { offset: number } | { after: string } = { offset };
  for (;;) {
    const answer = await request({ ...filters, limit, ...position });
    const items = findItems(answer);
    for (const item of items) {
      const id = (item as { id?: unknown }).id ?? item;
      if (seen.has(id)) continue;
      seen.add(id);
      yield item;
    }
    // A page can have fewer items than its limit, because pages are also limited in bytes.
    offset += items.length;
    const { total, cursor } = answer.pagination;
    if (cursor === null || items.length === 0) return;
    if (cursor === undefined && offset >= total) return;
    position = cursor === undefined ? { offset } : { after: cursor };
  }
}

function findItems<Answer extends Page>(answer: Answer): Item<Answer>[] {
  return (Object.values(answer).find(Array.isArray) ?? []) as Item<Answer>[];
}
