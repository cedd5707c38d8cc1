import { ThumbsDown, ThumbsUp } from "lucide-react";
import { memo, type ReactNode, useMemo, useState } from "react";
import { AgentAvatar, Avatar, VisitorAvatar } from "../../components/avatar.tsx";
import { ReplyTrace } from "../../components/reply-trace/reply-trace.tsx";
import { Status } from "../../components/status.tsx";
import { WhyAnswer } from "../../components/why-answer/why-answer.tsx";
import type { PreviewContent } from "../../components/widget-view.tsx";
import { KeepAsTest } from "../tests/keep-as-test.tsx";
import { AttachmentList } from "./attachment-list.tsx";
import type { TranscriptLine } from "./handoff-lines.ts";
import { MessagePageView } from "./message-page.tsx";
import { NoteView } from "./note-view.tsx";
import { noticeTexts } from "./notice-texts.ts";
import { PlainText } from "./plain-text.tsx";
import { RemovedLinks } from "./removed-links.tsx";
import { describeEnd, describeFailure, isRunning, splitReply, type Turn } from "./split-reply.ts";
import { type SubmissionsByTool, ToolCallView } from "./tool-call-view.tsx";
import { type ConversationNote, isLine, isTurn, type TranscriptItem } from "./with-notes.ts";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export type TurnContext = {
  agentId: string;
  conversationId: string;
  agentName: string;
  visitor: string;
  /** The visitor's name, or null if it is not known. */
  knownName: string | null;
  /** The search text, which is highlighted in the messages. */
  query: string;
  submissions: SubmissionsByTool | null;
  /** Ids of the expanded parts of turns. Kept here because turns that are not visible are not rendered. */
  openParts: ReadonlySet<string>;
  onTogglePart: (id: string, isOpen: boolean) => void;
  onDeleteNote: (note: ConversationNote) => void;
  /** Renders a part of a reply as visitors see it. */
  asVisitor: (content: PreviewContent) => ReactNode;
};

/** A turn or a note, with a date heading if it is the first of its day. */
export const ItemView = memo(function ItemView({
  item,
  isNewDay,
  context,
}: {
  item: TranscriptItem;
  isNewDay: boolean;
  context: TurnContext;
}) {
  return (
    <>
      {isNewDay && (
        <p className="pt-4 pb-2 text-center text-sm text-soft">
          <time dateTime={item.createdAt.slice(0, 10)}>{day.format(new Date(item.createdAt))}</time>
        </p>
      )}
      {isTurn(item) ? (
        <TurnView turn={item} context={context} />
      ) : isLine(item) ? (
        <LineView line={item} context={context} />
      ) : (
        <NoteView note={item} onDelete={context.onDeleteNote}>
          {item.text !== "" && <PlainText text={item.text} query={context.query} />}
          {item.mentions.length > 0 && (
            <p className="text-sm text-soft">Notified: {item.mentions.map(({ name }) => name).join(", ")}</p>
          )}
          <AttachmentList attachments={item.attachments} />
        </NoteView>
      )}
    </>
  );
});

/** What happened between messages: a change of the handler with the note for the agent, or a rating with its comment. */
function LineView({ line, context }: { line: TranscriptLine; context: TurnContext }) {
  const at = new Date(line.createdAt);
  return (
    <div className="grid justify-items-center gap-1.5 py-2 text-sm text-soft">
      <p className="text-center">
        {line.text} ·{" "}
        <time dateTime={line.createdAt} title={exact.format(at)}>
          {clock.format(at)}
        </time>
      </p>
      {line.note && (
        <div className="w-full rounded-lg border border-dashed border-edge px-4 py-2 text-ink">
          <p className="text-soft">Note for {context.agentName}, not visible to the visitor</p>
          <PlainText text={line.note} query={context.query} />
        </div>
      )}
      {line.comment && (
        <div className="max-w-[85%] rounded-xl bg-line px-4 py-2.5 text-ink">
          <PlainText text={line.comment} query={context.query} />
        </div>
      )}
    </div>
  );
}

function TurnView({ turn, context }: { turn: Turn; context: TurnContext }) {
  const isVisitor = turn.role === "user";
  const at = new Date(turn.createdAt);
  const pageId = `page ${turn.id}`;
  return (
    <article className={`flex gap-2.5 py-3 ${isVisitor ? "" : "flex-row-reverse"}`}>
      <Face turn={turn} context={context} />
      <div className={`grid min-w-0 flex-1 gap-1.5 ${isVisitor ? "justify-items-start" : "justify-items-end"}`}>
        <header className="flex min-h-6 items-center gap-2 text-sm">
          <Speaker turn={turn} context={context} />
          <time dateTime={turn.createdAt} title={exact.format(at)} className="shrink-0 text-soft">
            {clock.format(at)}
          </time>
        </header>
        {isVisitor ? (
          <>
            <AttachmentList attachments={turn.attachments} />
            {turn.content !== "" && (
              <div className="max-w-[85%] rounded-xl rounded-ss-sm bg-line px-4 py-2.5">
                <PlainText text={turn.content} query={context.query} />
              </div>
            )}
            {turn.page && (
              <MessagePageView
                page={turn.page}
                isOpen={context.openParts.has(pageId)}
                onToggle={(isOpen) => context.onTogglePart(pageId, isOpen)}
              />
            )}
          </>
        ) : (
          <Reply turn={turn} context={context} />
        )}
      </div>
    </article>
  );
}

function Face({ turn: { role, author, isSupplied }, context }: { turn: Turn; context: TurnContext }) {
  if (role === "user" || isSupplied) return <VisitorAvatar name={context.knownName} />;
  return author.kind === "member" && author.person ? <Avatar initials={author.person.initials} /> : <AgentAvatar />;
}

/** Who wrote a turn: the visitor, the agent, or a member by name. */
function Speaker({ turn: { role, author, isSupplied }, context }: { turn: Turn; context: TurnContext }) {
  if (isSupplied) {
    return (
      <h3 className="font-medium">
        {context.agentName}{" "}
        <span className="font-normal text-soft">· Sent by the visitor's client, not by the agent</span>
      </h3>
    );
  }
  if (author.kind !== "member" || !author.person) {
    return <h3 className="font-medium">{role === "user" ? context.visitor : context.agentName}</h3>;
  }
  return (
    <h3 className="font-medium">
      {author.person.name} <span className="font-normal text-soft">· Your team</span>
    </h3>
  );
}

function Reply({ turn, context }: { turn: Turn; context: TurnContext }) {
  const whyId = `why ${turn.id}`;
  const traceId = `trace ${turn.id}`;
  const isByMember = turn.author.kind === "member";
  return (
    <div
      className={`grid min-w-0 gap-3 ${isByMember ? "max-w-[85%] rounded-xl rounded-se-sm bg-selected px-4 py-2.5" : "ms-8 max-w-[68ch]"}`}
    >
      {turn.notices.map(({ code }) => (
        <p key={code} className="text-sm text-soft">
          {noticeTexts[code]}
        </p>
      ))}
      <AttachmentList attachments={turn.attachments} />
      {splitReply(turn).map((part, index) =>
        part.kind === "text" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
          <ReplyText key={index} text={part.text} hasCitations={turn.sources.length > 0} context={context} />
        ) : (
          <ToolCallView
            key={part.call.id}
            call={part.call}
            agentId={context.agentId}
            asVisitor={context.asVisitor}
            submissions={context.submissions}
            isOpen={context.openParts.has(part.call.id)}
            onToggle={(isOpen) => context.onTogglePart(part.call.id, isOpen)}
          />
        ),
      )}
      <RemovedLinks agentId={context.agentId} links={turn.removedLinks} />
      <WhyAnswer
        agentId={context.agentId}
        searches={turn.searches ?? []}
        isOpen={context.openParts.has(whyId)}
        onToggle={(isOpen) => context.onTogglePart(whyId, isOpen)}
      />
      {!isByMember && (
        <ReplyTrace
          agentId={context.agentId}
          conversationId={context.conversationId}
          reply={turn}
          searches={turn.searches}
          isOpen={context.openParts.has(traceId)}
          onToggle={(isOpen) => context.onTogglePart(traceId, isOpen)}
        />
      )}
      <TurnFooter turn={turn} context={context} />
    </div>
  );
}

/** The text of a reply. The widget renders its Markdown as the visitor saw it. */
function ReplyText({
  text,
  hasCitations,
  context: { asVisitor, query },
}: {
  text: string;
  hasCitations: boolean;
  context: TurnContext;
}) {
  const content = useMemo(() => {
    const parts = [{ type: "text" as const, text }];
    return { type: "parts" as const, key: "text", parts, hasCitations, highlight: query };
  }, [text, hasCitations, query]);
  return asVisitor(content);
}

function TurnFooter({ turn, context: { agentId, conversationId } }: { turn: Turn; context: TurnContext }) {
  const [isKeeping, setKeeping] = useState(false);
  const end = describeEnd(turn);
  const failure = describeFailure(turn);
  if (!end && !turn.feedback) return null;
  return (
    <footer className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {end && (
        <Status tone={isRunning(turn) ? "live" : turn.stopReason === "error" ? "wrong" : "warning"}>{end}</Status>
      )}
      {failure && <p className="w-full border-s-2 border-wrong ps-3">{failure}</p>}
      {turn.feedback === "up" && (
        <span className="inline-flex items-center gap-1.5">
          <ThumbsUp size={14} aria-hidden /> Rated good
        </span>
      )}
      {turn.feedback === "down" && (
        <span className="inline-flex items-center gap-1.5">
          <ThumbsDown size={14} aria-hidden className="text-wrong" /> Rated bad
        </span>
      )}
      {turn.feedback === "down" && turn.author.kind !== "member" && (
        <button
          type="button"
          aria-haspopup="dialog"
          className="underline underline-offset-2"
          onClick={() => setKeeping(true)}
        >
          Keep as test
        </button>
      )}
      {turn.feedbackComment && (
        <q className="min-w-0 [overflow-wrap:anywhere]" dir="auto">
          {turn.feedbackComment}
        </q>
      )}
      {isKeeping && (
        <KeepAsTest
          agentId={agentId}
          conversationId={conversationId}
          messageId={turn.id}
          isRatedBad
          onClose={() => setKeeping(false)}
        />
      )}
    </footer>
  );
}

/** Whether an item is the first of its day in the user's time zone. */
export function isNewDay(items: readonly TranscriptItem[], at: number): boolean {
  const [item, before] = [items[at], items[at - 1]];
  if (!item || !before) return true;
  return new Date(item.createdAt).toDateString() !== new Date(before.createdAt).toDateString();
}
