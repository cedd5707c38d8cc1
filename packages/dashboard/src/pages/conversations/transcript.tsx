import type { ConversationTag } from "@foyer/contract";
import { FoyerError, type Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useMemo, useState } from "react";
import { ErrorState, Skeleton } from "../../components/states.tsx";
import { type PreviewContent, TRANSCRIPT_FONT, WidgetView } from "../../components/widget-view.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { ConnectionLost } from "./connection-lost.tsx";
import { ConversationDesk, type DeskHandle } from "./conversation-desk.tsx";
import { BackButton, ConversationHeader } from "./conversation-header.tsx";
import { HandoffCard } from "./handoff-card.tsx";
import { toEmailLines, toHandoffLines, toRatingLines } from "./handoff-lines.ts";
import { ANONYMOUS, knownName, visitorName } from "./inbox-search.ts";
import { ConversationDeleted } from "./inbox-states.tsx";
import type { ConversationDetail } from "./split-reply.ts";
import type { SubmissionsByTool } from "./tool-call-view.tsx";
import { TurnList } from "./turn-list.tsx";
import type { TurnContext } from "./turn-view.tsx";
import { useRunningReply } from "./use-running-reply.ts";
import { VisitorFacts } from "./visitor-facts.tsx";
import { type ConversationNote, withNotes } from "./with-notes.ts";

const notHere = new FoyerError("NOT_FOUND", "Conversation not found.");

type Agent = Output<"getAgent">;

/** The open conversation. It updates while a reply streams in. */
export function Transcript({
  agent,
  conversationId,
  query,
  desk,
  onRead,
  onTags,
  onBack,
  onDelete,
  onLeave,
  onResolved,
}: {
  agent: Agent;
  conversationId: string;
  /** The search text of the list. */
  query: string;
  desk: RefObject<DeskHandle | null>;
  /** Called when the server has marked the conversation as read. */
  onRead: (id: string) => void;
  /** Called with the conversation's tags when it has loaded, and when they have changed. */
  onTags: (id: string, tags: readonly ConversationTag[]) => void;
  onBack: () => void;
  onDelete: () => void;
  /** Called when Escape leaves the message field. */
  onLeave: () => void;
  /** Called when the member has resolved or snoozed the conversation. */
  onResolved: (id: string) => void;
}) {
  const { data, error, refetch } = useQuery(endpointQuery("getConversation", { id: conversationId }));
  useRunningReply(data);
  // The id belongs to another agent, for example in a hand-written URL.
  const isElsewhere = data !== undefined && data.agentId !== agent.id;
  useMarkRead(isElsewhere ? undefined : data, onRead);
  const tags = data?.tags;
  useEffect(() => {
    if (tags) onTags(conversationId, tags);
  }, [conversationId, tags, onTags]);
  if (!data || isElsewhere || isGone(error)) {
    return (
      <div className="grid content-start gap-4 p-4 sm:p-6">
        <BackButton onBack={onBack} />
        {data && isGone(error) ? (
          <ConversationDeleted />
        ) : error || isElsewhere ? (
          <ErrorState error={error ?? notHere} onRetry={() => refetch()} />
        ) : (
          <div role="status" aria-label="Loading conversation" className="grid gap-6">
            <Skeleton className="h-6 w-2/3" />
            <Skeleton className="ms-auto h-12 w-1/2 rounded-xl" />
            <Skeleton className="h-24 w-4/5" />
          </div>
        )}
      </div>
    );
  }
  return (
    <Conversation
      agent={agent}
      query={query}
      desk={desk}
      onBack={onBack}
      onDelete={onDelete}
      onLeave={onLeave}
      onResolved={onResolved}
      conversation={data}
    />
  );
}

/** Marks the conversation as read when it is opened, and again after every message that arrives while it is open. */
function useMarkRead(conversation: ConversationDetail | undefined, onRead: (id: string) => void) {
  const { mutate } = useEndpointMutation("readConversation");
  const id = conversation?.id;
  const last = conversation?.messages.at(-1);
  const seen = last && `${last.id} ${last.stopReason}`;
  useEffect(() => {
    if (id !== undefined && seen !== undefined) mutate({ id }, { onSuccess: () => onRead(id) });
  }, [id, seen, mutate, onRead]);
}

/** Whether the conversation was deleted. Other errors are temporary. */
function isGone(error: Error | null): boolean {
  return error instanceof FoyerError && error.code === "NOT_FOUND";
}

function Conversation({
  agent,
  conversation,
  query,
  desk,
  onBack,
  onDelete,
  onLeave,
  onResolved,
}: {
  agent: Agent;
  conversation: ConversationDetail;
  query: string;
  desk: RefObject<DeskHandle | null>;
  onBack: () => void;
  onDelete: () => void;
  onLeave: () => void;
  onResolved: (id: string) => void;
}) {
  const title = createPageTitle(conversation);
  useEffect(() => {
    document.title = title;
  }, [title]);
  const { data: notes } = useQuery(endpointQuery("listNotes", { id: conversation.id }));
  const { messages, handoffs, answerEmails, rating } = conversation;
  const lines = useMemo(
    () => [
      ...toHandoffLines(handoffs ?? [], agent.name),
      ...toEmailLines(answerEmails ?? []),
      ...toRatingLines(rating ?? null),
    ],
    [handoffs, answerEmails, rating, agent.name],
  );
  const items = useMemo(() => withNotes(messages, notes ?? [], lines), [messages, notes, lines]);
  const submissions = useSubmissions(agent.id, conversation.id);
  const context = useTurnContext({ agent, conversation, query, submissions: submissions.byTool });
  return (
    <div className="flex h-full min-h-0">
      <div className="flex min-w-0 flex-1 flex-col">
        <ConversationHeader
          conversation={conversation}
          onBack={onBack}
          onDelete={onDelete}
          agentName={agent.name}
          onAddTag={() => desk.current?.addTag()}
        />
        <details className="border-b border-line px-4 text-sm sm:px-6 xl:hidden">
          <summary className="min-h-9 py-2 text-soft">About {context.visitor}</summary>
          <div className="max-h-[40vh] overflow-y-auto pb-4">
            <VisitorFacts conversation={conversation} submissions={submissions.all} />
          </div>
        </details>
        <ConnectionLost className="md:hidden" />
        <HandoffCard conversation={conversation} />
        <TurnList items={items} context={context} readAt={conversation.readAt ?? null} />
        <ConversationDesk
          conversation={conversation}
          onLeave={onLeave}
          onResolved={onResolved}
          agentName={agent.name}
          visitor={context.visitor}
          handle={desk}
        />
      </div>
      <aside
        aria-label="About the visitor"
        className="hidden w-64 shrink-0 overflow-y-auto border-s border-line p-5 xl:block"
      >
        <VisitorFacts conversation={conversation} submissions={submissions.all} />
      </aside>
    </div>
  );
}

/** Tells the tabs of several conversations apart: by the title, and by the visitor if known. */
function createPageTitle(conversation: ConversationDetail): string {
  const visitor = visitorName(conversation);
  return [conversation.title, ...(visitor === ANONYMOUS ? [] : [visitor]), "Foyer"].join(" · ");
}

/** The forms submitted in a conversation, newest first. `byTool` is null until they have loaded. */
function useSubmissions(agentId: string, conversationId: string) {
  const query = { agentId, conversationId, limit: 100 };
  const { data } = useQuery(endpointQuery("listSubmissions", query));
  return useMemo(() => {
    const all = (data?.submissions ?? []).filter((submission) => submission.conversationId === conversationId);
    const byTool: SubmissionsByTool | null = data ? Map.groupBy(all, ({ toolId }) => toolId) : null;
    return { all, byTool };
  }, [data, conversationId]);
}

function useTurnContext({
  agent,
  conversation,
  query,
  submissions,
}: {
  agent: Agent;
  conversation: ConversationDetail;
  query: string;
  submissions: SubmissionsByTool | null;
}) {
  const [openParts, setOpenParts] = useState<ReadonlySet<string>>(new Set());
  const onTogglePart = useCallback((id: string, isOpen: boolean) => {
    setOpenParts((open) => {
      if (open.has(id) === isOpen) return open;
      return new Set(isOpen ? [...open, id] : [...open].filter((other) => other !== id));
    });
  }, []);
  const visitor = visitorName(conversation);
  const visitorsName = knownName(conversation);
  const { mutate: deleteNote } = useEndpointMutation("deleteNote", { changes: ["listNotes"], done: "Note deleted" });
  const onDeleteNote = useCallback(
    ({ id: noteId, conversationId: id }: ConversationNote) => deleteNote({ id, noteId }),
    [deleteNote],
  );
  const asVisitor = useCallback(
    (content: PreviewContent) => <WidgetView agent={agent} content={content} font={TRANSCRIPT_FONT} />,
    [agent],
  );
  return useMemo<TurnContext>(
    () => ({
      agentId: agent.id,
      conversationId: conversation.id,
      agentName: agent.name,
      visitor,
      knownName: visitorsName,
      query,
      submissions,
      openParts,
      onTogglePart,
      onDeleteNote,
      asVisitor,
    }),
    [
      agent.id,
      conversation.id,
      agent.name,
      visitor,
      visitorsName,
      query,
      submissions,
      openParts,
      onTogglePart,
      onDeleteNote,
      asVisitor,
    ],
  );
}
