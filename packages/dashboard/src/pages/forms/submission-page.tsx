import { FoyerError } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BackLink } from "../../components/back-link.tsx";
import { Page, Section } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { toAnswers } from "../../components/submitted-answers.ts";
import { Time } from "../../components/time.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { endpointQuery } from "../../data/queries.ts";
import { ClientReport } from "./client-report.tsx";
import { DeliveryCard } from "./delivery-card.tsx";
import { DeleteSubmission, RedeliverSubmission } from "./submission-actions.tsx";
import { SubmissionAnswers } from "./submission-answers.tsx";
import { SubmissionFacts } from "./submission-facts.tsx";
import { readLastSearch } from "./submission-filter.ts";
import { isInProgress, toStatus } from "./submission-labels.ts";

const route = getRouteApi("/shell/agents/$agentId/forms/$submissionId");

/** One submission with its deliveries. The page polls while a delivery is in progress. */
export function SubmissionPage() {
  const { agentId, submissionId } = route.useParams();
  const { data: tools } = useSuspenseQuery(endpointQuery("listTools", { agentId }));
  const { data: submission } = useSuspenseQuery({
    ...endpointQuery("getSubmission", { id: submissionId }),
    refetchInterval: ({ state: { data } }) => (data && isInProgress(data) ? 2_000 : 20_000),
  });
  if (submission.agentId !== agentId) return <SubmissionNotFound />;

  const tool = tools.find(({ id }) => id === submission.toolId);
  const { word, tone } = toStatus(submission);
  const answers = toAnswers(submission.formData, tool?.formSchema?.fields ?? [], submissionId);
  const title = answers.find(({ text, file }) => !file && text.trim() !== "")?.text.slice(0, 80) ?? "Submission";
  return (
    <Page
      isWide
      title={title}
      description={
        <>
          <Status tone={tone}>{word}</Status> · {toolTitle(submission.toolName)} ·{" "}
          <Time at={submission.createdAt} isExact />
        </>
      }
      actions={<RedeliverSubmission submission={submission} />}
      back={
        <BackLink to="/agents/$agentId/forms" params={{ agentId }} search={readLastSearch(agentId)}>
          All submissions
        </BackLink>
      }
    >
      <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_280px]">
        <div className="min-w-0">
          <Section title="Answers">
            <SubmissionAnswers answers={answers} isFormGone={!tool} />
            {submission.changedByVisitor.length > 0 && (
              <p className="mt-3 text-soft">
                Could be changed by the visitor, because the server couldn't verify it:{" "}
                {submission.changedByVisitor.join(", ")}.
              </p>
            )}
          </Section>
          {submission.executionMode !== "webhook" && (
            <Section title="Your page">
              <ClientReport submission={submission} handler={tool?.formClientHandler ?? null} />
            </Section>
          )}
          <Section title="Deliveries">
            {submission.deliveries.length === 0 && (
              <p className="text-soft">
                When it was submitted, the form had no webhook and no actions: the answers are kept here only.
              </p>
            )}
            <div className="grid gap-3">
              {submission.deliveries.map((delivery) => (
                <DeliveryCard key={delivery.id} delivery={delivery} />
              ))}
            </div>
          </Section>
        </div>
        <SubmissionFacts submission={submission} />
      </div>
      <DeleteSubmission submission={submission} fileCount={answers.filter(({ file }) => file).length} />
    </Page>
  );
}

/** Shown when the submission belongs to another agent. */
function SubmissionNotFound() {
  return (
    <Page title="Submission">
      <ErrorState error={new FoyerError("NOT_FOUND", "Submission not found", { status: 404 })} />
    </Page>
  );
}
