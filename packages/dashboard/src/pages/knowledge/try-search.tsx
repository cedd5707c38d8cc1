import { searchTextLimits } from "@foyer/contract/rules/limits";
import type { Output } from "@foyer/sdk";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { MarkedWords } from "../../components/why-answer/marked-words.tsx";
import { MatchReason } from "../../components/why-answer/match-reason.tsx";
import { PassagePlace } from "../../components/why-answer/passage-place.tsx";
import { api } from "../../data/api.ts";
import { TryAnswer } from "./try-answer.tsx";

/** A visitor's question, the passages that the agent would find for it, and the agent's reply if it is asked. */
export function TrySearch({ agentId }: { agentId: string }) {
  const [query, setQuery] = useState("");
  const [asked, setAsked] = useState<{ question: string; key: number } | null>(null);
  const search = useMutation({
    mutationFn: (query: string) => api.searchDocuments({ body: { agentId, query } }),
  });
  const question = query.trim();
  return (
    <Section
      title="Try a question"
      description="Shows the passages the agent finds for a visitor's question, and how it replies. The agent may also search in its own words."
    >
      <form
        className="flex max-w-3xl flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(null);
          if (question !== "") search.mutate(question);
        }}
      >
        <div className="min-w-0 flex-1 basis-64">
          <TextField label="Question" maxLength={searchTextLimits.passages} value={query} onChange={setQuery} />
        </div>
        <Button type="submit" isBusy={search.isPending}>
          Find passages
        </Button>
        <Button
          disabled={question === ""}
          onClick={() => {
            setAsked({ question, key: performance.now() });
            search.mutate(question);
          }}
        >
          Ask the agent
        </Button>
      </form>
      {search.isError && <ErrorState error={search.error} onRetry={() => search.mutate(search.variables)} />}
      <div className={`grid grid-cols-[minmax(0,1fr)] items-start gap-6 ${asked ? "lg:grid-cols-2" : ""}`}>
        {search.data && <Hits agentId={agentId} found={search.data} />}
        {asked && (
          <section aria-label="The agent's reply" className="grid min-w-0 gap-3">
            <TryAnswer key={asked.key} agentId={agentId} question={asked.question} />
          </section>
        )}
      </div>
    </Section>
  );
}

function Hits({ agentId, found: { hits, ms } }: { agentId: string; found: Output<"searchDocuments"> }) {
  return (
    <div className="grid gap-3">
      <p role="status" className="text-soft">
        {hits.length === 0
          ? "No passage matches. Add a document that answers this question, or add this wording to an existing answer."
          : `${hits.length === 1 ? "1 passage" : `${hits.length} passages`}, found in ${Math.max(1, Math.round(ms))} ms`}
      </p>
      <ol className="grid gap-4">
        {hits.map(({ documentId, title, page, heading, text, score, matched, matchedBy }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the hits of one search keep their order
          <li key={index} className="grid gap-1 rounded-lg border border-line px-4 py-3">
            <p className="flex flex-wrap gap-x-2">
              <Link
                to="/agents/$agentId/knowledge/$documentId"
                params={{ agentId, documentId }}
                className="min-w-0 font-medium break-words underline underline-offset-2"
              >
                {title}
              </Link>
              <PassagePlace heading={heading === title ? null : heading} page={page} />
            </p>
            <p dir="auto" className="max-w-[90ch] break-words whitespace-pre-wrap">
              <MarkedWords text={text} words={matched} />
            </p>
            <MatchReason matched={matched} score={score} matchedBy={matchedBy} />
          </li>
        ))}
      </ol>
    </div>
  );
}
