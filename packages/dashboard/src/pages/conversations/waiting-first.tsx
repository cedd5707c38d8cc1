import { useQuery } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { ConversationRow, ROW_HEIGHT } from "./conversation-row.tsx";
import type { ListedConversation } from "./inbox-search.ts";

const SHOWN = 3;

/** The visitors of all agents who have been waiting longest, above the list of all conversations. */
export function WaitingFirst({
  openId,
  hrefOf,
  onOpen,
  onShowAll,
}: {
  openId: string | null;
  hrefOf: (row: ListedConversation) => string;
  onOpen: (row: ListedConversation) => void;
  onShowAll: () => void;
}) {
  const { data } = useQuery(endpointQuery("listConversations", { handler: "waiting", limit: SHOWN }));
  if (!data || data.data.length === 0) return null;
  const more = data.pagination.total - data.data.length;
  return (
    <section aria-label="Waiting for a person" className="border-b border-edge">
      <ul>
        {data.data.map((row) => (
          <li key={row.id} style={{ height: ROW_HEIGHT }}>
            <ConversationRow
              row={row}
              href={hrefOf(row)}
              query=""
              isOpen={row.id === openId}
              isReachable
              onOpen={onOpen}
              onFocus={ignore}
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Button look="plain" className="m-1 xl:ms-5" onClick={onShowAll}>
          Show {more.toLocaleString()} more waiting
        </Button>
      )}
    </section>
  );
}

const ignore = () => {};
