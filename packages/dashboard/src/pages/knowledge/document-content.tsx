import type { Document, DocumentChunk } from "@foyer/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { PassagePlace } from "../../components/why-answer/passage-place.tsx";
import { api } from "../../data/api.ts";

const CHARACTERS = 20_000;
const PASSAGES = 20;

type View = "passages" | "text";

/** The processed content of a document: its searchable passages, or the extracted text. */
export function DocumentContent({ document }: { document: Document }) {
  const [view, setView] = useState<View>("passages");
  return (
    <Section
      title="What the agent reads"
      description="Search finds passages. If something is missing here, the agent doesn't know it."
      actions={
        <SegmentedControl
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: "passages", label: "Passages" },
            { value: "text", label: "Text" },
          ]}
        />
      }
    >
      {document.readyAt === null ? (
        <p className="text-soft">Passages and text appear here once the document is ready.</p>
      ) : view === "passages" ? (
        <Passages document={document} />
      ) : (
        <FullText document={document} />
      )}
    </Section>
  );
}

function Passages({ document: { id, readyAt } }: { document: Document }) {
  const query = useInfiniteQuery({
    queryKey: ["listDocumentChunks", id, readyAt],
    queryFn: ({ pageParam, signal }) => api.listDocumentChunks({ id, limit: PASSAGES, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ pagination: { offset, total } }) =>
      offset + PASSAGES < total ? offset + PASSAGES : undefined,
  });
  return (
    <Parts query={query}>
      <ol className="grid w-full gap-3">
        {query.data?.pages.flatMap(({ chunks }) =>
          chunks.map((chunk) => <Passage key={chunk.ordinal} passage={chunk} />),
        )}
      </ol>
    </Parts>
  );
}

function Passage({ passage: { heading, page, text } }: { passage: DocumentChunk }) {
  return (
    <li className="grid gap-1 rounded-lg border border-line px-4 py-3">
      <PassagePlace heading={heading} page={page} />
      <p dir="auto" className="max-w-[90ch] break-words whitespace-pre-wrap">
        {text}
      </p>
    </li>
  );
}

function FullText({ document: { id, readyAt } }: { document: Document }) {
  const query = useInfiniteQuery({
    queryKey: ["getDocumentText", id, readyAt],
    queryFn: ({ pageParam, signal }) => api.getDocumentText({ id, limit: CHARACTERS, offset: pageParam }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ nextOffset }) => nextOffset ?? undefined,
  });
  return (
    <Parts query={query}>
      <p dir="auto" className="max-w-[90ch] break-words whitespace-pre-wrap">
        {query.data?.pages.map(({ text }) => text).join("")}
      </p>
    </Parts>
  );
}

type PartsQuery = {
  data: unknown;
  error: Error | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => unknown;
  fetchNextPage: () => unknown;
};

/** Long content that is loaded in parts. */
function Parts({ query, children }: { query: PartsQuery; children: ReactNode }) {
  if (query.error && query.data === undefined) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <SkeletonRows />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-4">
      {children}
      {query.hasNextPage && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}
