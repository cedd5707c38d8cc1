import type { FormSubmission, Tool } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { Status } from "../../components/status.tsx";
import { summarizeAnswers } from "../../components/submitted-answers.ts";
import { LinkTr, Table, Td, Th } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { summarizeDeliveries, toStatus } from "./submission-labels.ts";

/** A row per submission. A summary of its answers links to it. */
export function SubmissionsTable({
  agentId,
  forms,
  submissions,
  isStale,
}: {
  agentId: string;
  forms: readonly Tool[];
  submissions: readonly FormSubmission[];
  /** Whether the rows still belong to the previous filter. */
  isStale: boolean;
}) {
  const fieldsOf = new Map(forms.map(({ id, formSchema }) => [id, formSchema?.fields ?? []]));
  return (
    <div aria-busy={isStale} className={isStale ? "opacity-60" : ""}>
      <Table
        label="Submissions"
        head={
          <>
            <Th className="hidden ps-2 pe-8 sm:table-cell">Status</Th>
            <Th className="w-full max-sm:ps-2">Answers</Th>
            <Th className="hidden xl:table-cell">Delivery</Th>
            <Th className="hidden sm:table-cell">Form</Th>
            <Th isNumber className="pe-2">
              Submitted
            </Th>
          </>
        }
      >
        {submissions.map((submission) => (
          <Row
            key={submission.id}
            agentId={agentId}
            submission={submission}
            summary={summarizeAnswers(submission.formData, fieldsOf.get(submission.toolId) ?? [], submission.id)}
          />
        ))}
      </Table>
    </div>
  );
}

function Row({ agentId, submission, summary }: { agentId: string; submission: FormSubmission; summary: string }) {
  const { id, toolName, createdAt } = submission;
  const { word, tone, help } = toStatus(submission);
  return (
    <LinkTr className="appear">
      <Td className="hidden ps-2 pe-8 sm:table-cell" title={help}>
        <Status tone={tone}>{word}</Status>
      </Td>
      <Td className="max-w-0 max-sm:ps-2">
        <Link
          to="/agents/$agentId/forms/$submissionId"
          params={{ agentId, submissionId: id }}
          className="block truncate"
        >
          {summary || "No answers"}
        </Link>
        <span className="flex gap-3 text-sm text-soft sm:hidden">
          <Status tone={tone}>{word}</Status>
          <span className="truncate">{toolTitle(toolName)}</span>
        </span>
      </Td>
      <Td className="hidden max-w-80 truncate text-soft xl:table-cell">{summarizeDeliveries(submission)}</Td>
      <Td className="hidden max-w-44 truncate text-soft sm:table-cell">{toolTitle(toolName)}</Td>
      <Td isNumber className="pe-2 text-soft">
        <Time at={createdAt} />
      </Td>
    </LinkTr>
  );
}
