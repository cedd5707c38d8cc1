import type { FormSubmissionDetail } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Skeleton } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { historyOf } from "./submission-history.ts";
import { statusOf } from "./submission-labels.ts";

/** The status, visitor and history of a submission. */
export function SubmissionFacts({ submission }: { submission: FormSubmissionDetail }) {
  const { agentId, toolId, toolName, conversationId } = submission;
  const { word, tone, help } = statusOf(submission);
  return (
    <dl className="grid content-start gap-4 rounded-lg border border-line p-4">
      <Fact name="Status">
        <span role="status">
          <Status tone={tone}>{word}</Status>
        </span>
        <p className="mt-0.5 text-soft">{help}</p>
      </Fact>
      <Fact name="Form">
        <Link to="/agents/$agentId/tools/$toolId" params={{ agentId, toolId }} className="underline underline-offset-2">
          {toolName}
        </Link>
      </Fact>
      <Fact name="Visitor">
        {conversationId ? (
          <Visitor {...{ agentId, conversationId }} />
        ) : (
          <span className="text-soft">Submitted outside a conversation</span>
        )}
      </Fact>
      <Fact name="History">
        <ol className="grid gap-1.5">
          {historyOf(submission).map(({ text, at }) => (
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
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="mb-0.5 text-sm text-soft">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The visitor of the submission's conversation, as identified by the site. */
function Visitor({ agentId, conversationId }: { agentId: string; conversationId: string }) {
  const { data, error } = useQuery(endpointQuery("getConversation", { id: conversationId }));
  if (error instanceof FoyerError && error.code === "NOT_FOUND") {
    return <span className="text-soft">Its conversation was deleted</span>;
  }
  if (error) return <span className="text-soft">The visitor could not be loaded: {error.message}</span>;
  if (!data) return <Skeleton className="h-10" />;
  const names = [...new Set([data.userName, data.userEmail, data.userId])].filter(Boolean);
  return (
    <>
      <p>{names.length > 0 ? names.join(", ") : "Anonymous visitor"}</p>
      <Link
        to="/agents/$agentId/conversations/$conversationId"
        params={{ agentId, conversationId }}
        className="underline underline-offset-2"
      >
        {data.title.trim() || "The conversation"}
      </Link>
    </>
  );
}
