import type { Message, ReplySearch } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight, Timer } from "lucide-react";
import { useState } from "react";
import { endpointQuery } from "../../data/queries.ts";
import { useCurrency } from "../../data/use-currency.ts";
import { formatCost } from "../cost-text.ts";
import { ErrorState, Skeleton } from "../states.tsx";
import { PromptParts } from "./prompt-parts.tsx";
import { SearchedDocuments } from "./searched-documents.tsx";
import { StepsTable } from "./steps-table.tsx";

type Reply = Pick<Message, "id" | "model" | "fallbackFrom" | "usage" | "cost" | "stopReason">;

/** What a reply did, step by step, with its tokens and cost. The steps are loaded when it is opened. */
export function ReplyTrace({
  agentId,
  conversationId,
  reply,
  searches = [],
  isOpen,
  onToggle,
}: {
  agentId: string;
  conversationId: string;
  reply: Reply;
  searches?: readonly ReplySearch[] | undefined;
  /** Set if the parent keeps the state, such as a virtualized list that unmounts rows. */
  isOpen?: boolean;
  onToggle?: (isOpen: boolean) => void;
}) {
  const [isOwnOpen, setOwnOpen] = useState(false);
  if (!reply.model || reply.stopReason === null) return null;
  const isShown = isOpen ?? isOwnOpen;
  return (
    <details
      open={isShown}
      onToggle={(event) => (onToggle ?? setOwnOpen)(event.currentTarget.open)}
      className="group min-w-0 rounded-lg border border-line bg-raised"
    >
      <summary className="flex min-h-9 flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-1.5 text-sm select-none">
        <ChevronRight size={14} aria-hidden className="text-soft transition-transform group-open:rotate-90" />
        <Timer size={14} aria-hidden className="text-soft" />
        <span className="font-medium">Trace</span>
        <Summary reply={reply} />
      </summary>
      {isShown && (
        <div className="grid gap-4 border-t border-line px-3 py-3">
          <Trace conversationId={conversationId} messageId={reply.id} />
          <SearchedDocuments agentId={agentId} searches={searches} />
        </div>
      )}
    </details>
  );
}

/** The model that answered, the tokens and the cost, which are stored with the reply. */
function Summary({ reply: { model, fallbackFrom, usage, cost } }: { reply: Reply }) {
  const currency = useCurrency();
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  const facts = [
    model,
    ...(tokens > 0 ? [`${tokens.toLocaleString()} tokens`] : []),
    ...(cost === null || cost === undefined ? ["cost unknown"] : currency ? [formatCost(cost, currency)] : []),
  ];
  return (
    <span className="min-w-0 text-soft">
      {facts.join(" · ")}
      {fallbackFrom && <span className="text-warning"> · in place of {fallbackFrom}</span>}
    </span>
  );
}

function Trace({ conversationId, messageId }: { conversationId: string; messageId: string }) {
  const { data, error, refetch } = useQuery({
    ...endpointQuery("getReplyTrace", { id: conversationId, messageId }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <div role="status" aria-label="Loading the trace">
        <Skeleton className="h-32" />
      </div>
    );
  }
  if (data.steps.length === 0) return <p className="text-soft">No steps were recorded for this reply.</p>;
  return (
    <>
      <StepsTable trace={data} />
      <PromptParts steps={data.steps} />
    </>
  );
}
