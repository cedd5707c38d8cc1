import type { ReplySearch } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { pluralize } from "../plural.ts";

/** The documents from which the reply received passages. */
export function SearchedDocuments({ agentId, searches }: { agentId: string; searches: readonly ReplySearch[] }) {
  const passages = searches.flatMap((search) => search.passages);
  const documents = [...Map.groupBy(passages, ({ documentId, title }) => documentId ?? title)];
  if (documents.length === 0) return null;
  return (
    <section aria-label="Documents of the reply" className="text-sm">
      <p className="pb-1 font-medium">Documents</p>
      <ul className="grid gap-0.5">
        {documents.map(([key, found]) => (
          <li key={key}>
            <DocumentName agentId={agentId} passage={found[0]} />{" "}
            <span className="text-soft">{pluralize(found.length, "passage")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Passage = ReplySearch["passages"][number];

/** A deleted document has no page. */
function DocumentName({ agentId, passage }: { agentId: string; passage: Passage | undefined }) {
  if (!passage || passage.documentId === null) return passage?.title;
  return (
    <Link
      to="/agents/$agentId/knowledge/$documentId"
      params={{ agentId, documentId: passage.documentId }}
      className="underline underline-offset-2"
    >
      {passage.title}
    </Link>
  );
}
