import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { api } from "../../data/api.ts";

const USES = 10;

/** The visitors' questions whose replies cite the document, newest first. */
export function DocumentUses({ agentId, documentId: id }: { agentId: string; documentId: string }) {
  const query = useInfiniteQuery({
    queryKey: ["listDocumentUses", id],
    queryFn: ({ pageParam, signal }) => api.listDocumentUses({ id, limit: USES, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination: { offset, total } }) => (offset + USES < total ? offset + USES : undefined),
  });
  const total = query.data?.pages[0]?.pagination.total ?? 0;
  return (
    <Section title="Where it was used" description="Replies to visitors that cite this document.">
      {query.error && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <SkeletonRows count={3} />
      ) : total === 0 ? (
        <p className="text-soft">No reply has cited this document yet.</p>
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-4">
          <p className="text-soft">{total === 1 ? "1 reply" : `${total.toLocaleString()} replies`}</p>
          <ul className="grid w-full grid-cols-[minmax(0,1fr)] border-t border-line">
            {query.data.pages.flatMap(({ uses }) =>
              uses.map(({ conversationId, messageId, question, at }) => (
                <li key={messageId} className="flex min-h-10 items-center gap-4 border-b border-line py-1.5">
                  <Link
                    to="/agents/$agentId/conversations/$conversationId"
                    params={{ agentId, conversationId }}
                    dir="auto"
                    className="min-w-0 flex-1 truncate underline underline-offset-2"
                  >
                    {question}
                  </Link>
                  <span className="text-soft">
                    <Time at={at} />
                  </span>
                </li>
              )),
            )}
          </ul>
          {query.hasNextPage && (
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}
