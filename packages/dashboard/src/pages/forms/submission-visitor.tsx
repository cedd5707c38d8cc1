import type { FormSubmission } from "@foyer/contract";
import { FoyerError, type Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Fact } from "../../components/fact-list.tsx";
import { Skeleton } from "../../components/states.tsx";
import { visitorFacts } from "../../components/visitor-identity.tsx";
import { endpointQuery } from "../../data/queries.ts";

/**
 * Who submitted a form: the facts that the submission proved, those that its conversation adds, and a link to that
 * conversation.
 */
export function useSubmissionVisitor(submission: FormSubmission): Fact[] {
  const { agentId, conversationId } = submission;
  const { data, error } = useQuery({
    ...endpointQuery("getConversation", { id: conversationId ?? "" }),
    enabled: conversationId !== null,
  });
  if (conversationId !== null && !data && !error) return [["Identity", <Skeleton key="identity" className="h-24" />]];
  const link = data && (
    <Link
      to="/agents/$agentId/conversations/$conversationId"
      params={{ agentId, conversationId: data.id }}
      className="underline underline-offset-2"
    >
      {data.title.trim() || "The conversation"}
    </Link>
  );
  return [
    ...visitorFacts(withConversation(submission, data)),
    ["Conversation", link ?? <span className="text-soft">{describeMissing(error)}</span>],
  ];
}

/** Applies claims of the conversation to the submission only if both name the same user, or neither names one. */
function withConversation(submission: FormSubmission, conversation: Output<"getConversation"> | undefined) {
  const { identity, userId, visitor } = submission;
  if (!conversation || conversation.userId !== userId) return { identity, userId, visitor };
  const { userEmail, userName, userMetadata } = conversation;
  const isClaimed = identity === "anonymous" && conversation.identity === "claimed";
  return { identity: isClaimed ? conversation.identity : identity, userId, visitor, userEmail, userName, userMetadata };
}

function describeMissing(error: Error | null): string {
  if (error === null) return "Submitted outside a conversation";
  if (error instanceof FoyerError && error.code === "NOT_FOUND") return "Its conversation was deleted";
  return `The conversation could not be loaded: ${error.message}`;
}
