import type { ConsentStorage } from "../loader/consent-storage.ts";
import type { KnownConversation, Visit } from "../loader/visitor-session.ts";

type Kept = { owners?: { anonymous?: { current: string | null; list: KnownConversation[] } } };

/**
 * Keeps the anonymous conversation that is open when the visitor signs in: it becomes the user's current one. With the
 * next message its token proves to the server that the user holds it.
 */
export function adoptConversation({ storage, visit }: { storage: Pick<ConsentStorage, "read">; visit: Visit }): void {
  const { anonymous } = (storage.read("local", "visit") as Kept | null)?.owners ?? {};
  const open = anonymous?.list?.find(({ id }) => id === anonymous.current);
  if (open) visit.remember(open);
}
