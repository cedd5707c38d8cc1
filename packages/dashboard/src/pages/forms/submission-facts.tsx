import type { FormSubmissionDetail } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { FactList } from "../../components/fact-list.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { toHistory } from "./submission-history.ts";
import { toStatus } from "./submission-labels.ts";
import { useSubmissionVisitor } from "./submission-visitor.tsx";

/** The status, visitor and history of a submission. */
export function SubmissionFacts({ submission }: { submission: FormSubmissionDetail }) {
  const { agentId, toolId, toolName } = submission;
  const { word, tone, help } = toStatus(submission);
  const visitor = useSubmissionVisitor(submission);
  const status = (
    <>
      <span role="status">
        <Status tone={tone}>{word}</Status>
      </span>
      <p className="mt-0.5 text-soft">{help}</p>
    </>
  );
  const form = (
    <Link to="/agents/$agentId/tools/$toolId" params={{ agentId, toolId }} className="underline underline-offset-2">
      {toolTitle(toolName)}
    </Link>
  );
  return (
    <div className="rounded-lg border border-line p-4">
      <FactList
        facts={[
          ["Status", status],
          ["Form", form],
          ...visitor,
          ["History", <History key="history" submission={submission} />],
        ]}
      />
    </div>
  );
}

function History({ submission }: { submission: FormSubmissionDetail }) {
  return (
    <ol className="grid gap-1.5">
      {toHistory(submission).map(({ text, at }) => (
        <li key={`${at} ${text}`} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4">
          <span>{text}</span>
          {at !== null && (
            <span className="text-soft">
              <Time at={at} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
