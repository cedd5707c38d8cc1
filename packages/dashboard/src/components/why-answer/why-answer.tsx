import type { FoundPassage, ReplySearch } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { BookOpen, ChevronRight } from "lucide-react";
import { Tag } from "../status.tsx";
import { MarkedWords } from "./marked-words.tsx";
import { MatchReason } from "./match-reason.tsx";
import { PassagePlace } from "./passage-place.tsx";
import { describeOutcome, describeSearch } from "./why-texts.ts";

/** Explains a reply: what it searched for, the passages it received, and which of them it cites. */
export function WhyAnswer({
  agentId,
  searches,
  isOpen,
  onToggle,
}: {
  agentId: string;
  searches: readonly ReplySearch[];
  /** Set if the parent keeps the state, such as a virtualized list that unmounts rows. */
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
}) {
  if (searches.length === 0) return null;
  return (
    <details
      open={isOpen}
      onToggle={(event) => onToggle?.(event.currentTarget.open)}
      className="group min-w-0 rounded-lg border border-line bg-raised"
    >
      <summary className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-1.5 text-sm select-none">
        <ChevronRight size={14} aria-hidden className="text-soft transition-transform group-open:rotate-90" />
        <BookOpen size={14} aria-hidden className="text-soft" />
        <span className="font-medium">Why this answer?</span>
        <span className="text-soft">{describeOutcome(searches)}</span>
      </summary>
      <div className="grid gap-4 border-t border-line px-3 py-3">
        {searches.map((search, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the searches of a reply keep their places
          <Search key={index} agentId={agentId} search={search} />
        ))}
      </div>
    </details>
  );
}

function Search({ agentId, search }: { agentId: string; search: ReplySearch }) {
  return (
    <section className="grid min-w-0 gap-2" aria-label={search.kind === "prompt" ? "Documents" : "Search"}>
      <p className="text-sm text-soft">{describeSearch(search)}</p>
      {search.queries.length > 0 && (
        <ul className="grid gap-1" aria-label="Queries">
          {search.queries.map((query) => (
            <li key={query} dir="auto" className="min-w-0 break-words">
              <q>{query}</q>
            </li>
          ))}
        </ul>
      )}
      {search.passages.length > 0 && (
        <ol className="grid divide-y divide-line border-t border-line" aria-label="Passages">
          {search.passages.map((passage) => (
            <Passage key={passage.n} agentId={agentId} passage={passage} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Passage({ agentId, passage }: { agentId: string; passage: FoundPassage }) {
  const { n, documentId, title, heading, page, snippet, score, matched, isCited } = passage;
  return (
    <li className="grid min-w-0 gap-1 py-2 last:pb-0">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <span className="text-soft tabular-nums">[{n}]</span>
        {documentId === null ? (
          <span className="min-w-0 font-medium break-words">{title}</span>
        ) : (
          <Link
            to="/agents/$agentId/knowledge/$documentId"
            params={{ agentId, documentId }}
            className="min-w-0 font-medium break-words underline underline-offset-2"
          >
            {title}
          </Link>
        )}
        <PassagePlace heading={heading === title ? null : heading} page={page} />
        {isCited && <Tag>Cited</Tag>}
      </p>
      <p dir="auto" className="min-w-0 break-words">
        <MarkedWords text={snippet} words={matched} />
      </p>
      {score !== null && <MatchReason matched={matched} score={score} />}
    </li>
  );
}
