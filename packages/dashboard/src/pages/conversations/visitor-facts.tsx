import { Link } from "@tanstack/react-router";
import { describeCosts } from "../../components/cost-text.ts";
import { type Fact, FactList } from "../../components/fact-list.tsx";
import { Time } from "../../components/time.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { visitorFacts } from "../../components/visitor-identity.tsx";
import { useCurrency } from "../../data/use-currency.ts";
import { findAnswerAddress } from "./handoff-lines.ts";
import type { ConversationDetail } from "./split-reply.ts";
import { VisitorSummary } from "./visitor-summary.tsx";

/** Facts about the visitor and the conversation. */
export function VisitorFacts({
  conversation,
  submissions,
}: {
  conversation: ConversationDetail;
  submissions: ReadonlyArray<{ id: string; toolName: string; createdAt: string }>;
}) {
  const currency = useCurrency();
  const { agentId, userId, visitorKey, isTest, context, createdAt, updatedAt, messages, rating } = conversation;
  const facts: Fact[] = [
    ...visitorFacts(conversation),
    ["Answers by email", findAnswerAddress(conversation)],
    ["Page", context?.page],
    ["Referrer", context?.referrer],
    ["Device", context?.device],
    ["Language", context?.language],
    ["Country", context?.country],
    ["Started", <Time key="started" at={createdAt} isExact />],
    ["Last message", <Time key="last" at={updatedAt} isExact />],
    ["Messages", messages.length.toLocaleString()],
    ["Rating", rating && `${rating.score} of 5`],
    ["Rated good", count(messages, ({ feedback }) => feedback === "up")],
    ["Rated bad", count(messages, ({ feedback }) => feedback === "down")],
    ["Failed replies", count(messages, ({ stopReason }) => stopReason === "error")],
    ["Cost", currency && formatCosts(conversation, currency)],
  ];
  return (
    <div className="grid gap-4">
      {isTest && <p className="text-soft">Not counted in analytics.</p>}
      <FactList facts={facts} />
      {submissions.length > 0 && (
        <div className="grid gap-1">
          <h3 className="text-sm font-normal text-soft">Forms submitted</h3>
          <ul className="grid gap-1">
            {submissions.map(({ id, toolName, createdAt: at }) => (
              <li key={id}>
                <Link
                  to="/agents/$agentId/forms/$submissionId"
                  params={{ agentId, submissionId: id }}
                  className="underline underline-offset-2"
                >
                  {toolTitle(toolName)}
                </Link>{" "}
                <span className="text-sm text-soft">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {visitorKey && <VisitorSummary visitorKey={visitorKey} />}
      {userId && (
        <Link
          to="/agents/$agentId/conversations"
          params={{ agentId }}
          search={{ userId }}
          className="underline underline-offset-2"
        >
          All conversations of this visitor
        </Link>
      )}
    </div>
  );
}

/** Nothing for a conversation in which no model was called. */
function formatCosts({ messages, cost = 0, unknownCostReplies = 0 }: ConversationDetail, currency: string) {
  if (cost === 0 && unknownCostReplies === 0 && !messages.some(({ model }) => model)) return null;
  return describeCosts({ cost, unknownCostReplies }, currency).join(" ").trim();
}

function count(
  messages: ConversationDetail["messages"],
  is: (turn: ConversationDetail["messages"][number]) => boolean,
) {
  return messages.filter(is).length || null;
}
