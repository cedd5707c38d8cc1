import type { UnansweredQuestion } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { ListPreview } from "../../components/empty-previews.tsx";
import { Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Tag } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { FaqDialog } from "./add-document.tsx";
import { KnowledgeTabs } from "./knowledge-tabs.tsx";
import { createUnansweredQuery, periods, UNANSWERED_PAGE_SIZE, type UnansweredSearch } from "./unanswered-search.ts";

const route = getRouteApi("/shell/agents/$agentId/knowledge/unanswered");

const reasonOptions = [
  { value: "", label: "All" },
  { value: "nothing_found", label: "Nothing found" },
  { value: "not_cited", label: "Not answered" },
  { value: "rated_down", label: "Rated bad" },
];

/** Lists the questions that the agent could not answer, and lets members write the answers. */
export function UnansweredPage() {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [answering, setAnswering] = useState<UnansweredQuestion | null>(null);
  const [dismissing, setDismissing] = useState<UnansweredQuestion | null>(null);
  const list = useQuery({
    ...endpointQuery("listUnansweredQuestions", createUnansweredQuery(agentId, search)),
    placeholderData: keepPreviousData,
  });
  const total = list.data?.pagination.total ?? 0;
  return (
    <Page
      isWide
      title="Unanswered"
      description="Questions that the documents did not answer, or whose reply was rated bad. Questions with the same words are grouped."
    >
      <KnowledgeTabs agentId={agentId} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Filters search={search} />
        {list.isError && !list.data ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : !list.data ? (
          <SkeletonRows />
        ) : total === 0 ? (
          <NoUnanswered isFiltered={search.reason !== undefined} />
        ) : (
          <>
            <p role="status" className="text-soft">
              {total === 1 ? "1 question" : `${total.toLocaleString()} questions`}, most recently asked first
            </p>
            <ul className="grid border-t border-line">
              {list.data.questions.map((question) => (
                <Question
                  key={question.id}
                  agentId={agentId}
                  question={question}
                  onAnswer={() => setAnswering(question)}
                  onDismiss={() => setDismissing(question)}
                />
              ))}
            </ul>
          </>
        )}
        {list.data && (
          <Pager
            page={search.page ?? 1}
            size={UNANSWERED_PAGE_SIZE}
            total={total}
            onGo={(page) => {
              const { page: _, ...filter } = search;
              void navigate({ search: page === 1 ? filter : { ...filter, page } });
            }}
          />
        )}
      </div>
      {answering && <FaqDialog agentId={agentId} answering={answering} onClose={() => setAnswering(null)} />}
      <DismissQuestion agentId={agentId} question={dismissing} onClose={() => setDismissing(null)} />
    </Page>
  );
}

function Filters({ search }: { search: UnansweredSearch }) {
  const navigate = route.useNavigate();
  const { reason = "", period = periods[0].value } = search;
  // Changing a filter returns to the first page. Defaults are left out of the URL.
  const change = (changed: { reason: string; period: string }) =>
    void navigate({
      search: omitUndefined({
        reason: changed.reason || undefined,
        period: changed.period === periods[0].value ? undefined : changed.period,
      }),
      replace: true,
    });
  return (
    <search className="flex flex-wrap gap-3">
      <div className="flex-1 basis-36 sm:max-w-44">
        <Select
          label="Reason"
          value={reason}
          options={reasonOptions}
          onChange={(value) => change({ reason: value, period })}
        />
      </div>
      <div className="flex-1 basis-36 sm:max-w-44">
        <Select
          label="Period"
          value={period}
          options={periods}
          onChange={(value) => change({ reason, period: value })}
        />
      </div>
    </search>
  );
}

function NoUnanswered({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState title="No unanswered questions" preview={isFiltered ? undefined : <ListPreview />}>
      <p>
        {isFiltered
          ? "No questions match these filters."
          : "When a visitor asks something that the documents don't answer, the question appears here, and you can write the answer. Playground conversations are not included."}
      </p>
    </EmptyState>
  );
}

function Question({
  agentId,
  question: { question, otherWordings, count, reasons, lastAskedAt, conversationId },
  onAnswer,
  onDismiss,
}: {
  agentId: string;
  question: UnansweredQuestion;
  onAnswer: () => void;
  onDismiss: () => void;
}) {
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 border-b border-line py-4">
      <div className="grid min-w-0 flex-1 basis-72 gap-1.5">
        <h2 dir="auto" className="max-w-[70ch] font-medium break-words">
          {question}
        </h2>
        {otherWordings.length > 0 && (
          <ul aria-label="Other wordings" className="grid max-w-[70ch] gap-0.5 text-soft">
            {otherWordings.map((wording) => (
              <li key={wording} dir="auto" className="break-words">
                {wording}
              </li>
            ))}
          </ul>
        )}
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
          <span>
            {count === 1 ? "Asked once" : `Asked ${count.toLocaleString()} times`}, last <Time at={lastAskedAt} />
          </span>
          {reasons.nothingFound > 0 && <Tag>Nothing found</Tag>}
          {reasons.notCited > 0 && <Tag>Not answered</Tag>}
          {reasons.ratedDown > 0 && <Tag>Rated bad</Tag>}
          <Link
            to="/agents/$agentId/conversations/$conversationId"
            params={{ agentId, conversationId }}
            className="underline underline-offset-2"
          >
            Last conversation
          </Link>
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onAnswer} aria-label={`Write the answer: ${question}`}>
          Write the answer
        </Button>
        <Button variant="plain" onClick={onDismiss} aria-label={`Dismiss: ${question}`}>
          Dismiss
        </Button>
      </div>
    </li>
  );
}

function DismissQuestion({
  agentId,
  question,
  onClose,
}: {
  agentId: string;
  /** null while the dialog is closed */
  question: UnansweredQuestion | null;
  onClose: () => void;
}) {
  const call = useEndpointMutation("dismissUnansweredQuestions", {
    changes: ["listUnansweredQuestions"],
    done: "Question dismissed",
  });
  return (
    <ConfirmDialog
      title="Dismiss this question?"
      action="Dismiss question"
      isOpen={question !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() =>
        question && call.mutate({ body: { agentId, ids: [question.id] } }, { onSuccess: () => onClose() })
      }
    >
      <p dir="auto" className="text-ink">
        {question?.question}
      </p>
      <p>The question stays hidden, even if visitors ask it again. The conversations are kept.</p>
    </ConfirmDialog>
  );
}
