import { ThumbsDown, ThumbsUp } from "lucide-react";
import { memo, type ReactNode, useMemo } from "react";
import { Status } from "../../components/status.tsx";
import type { PreviewContent } from "../../components/widget-view.tsx";
import { WhyAnswer } from "../knowledge/why-answer.tsx";
import { MessagePageView } from "./message-page.tsx";
import { PlainText } from "./plain-text.tsx";
import { describeEnd, describeFailure, isRunning, splitReply, type Turn } from "./split-reply.ts";
import { type SubmissionsByTool, ToolCallView } from "./tool-call-view.tsx";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const day = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export type TurnContext = {
  agentId: string;
  agentName: string;
  visitor: string;
  /** The search text, which is highlighted in the messages. */
  query: string;
  submissions: SubmissionsByTool | null;
  /** Ids of the expanded parts of turns. Kept here because turns that are not visible are not rendered. */
  openParts: ReadonlySet<string>;
  onTogglePart: (id: string, isOpen: boolean) => void;
  /** Renders a part of a reply as visitors see it. */
  asVisitor: (content: PreviewContent) => ReactNode;
};

/** A turn, with a date heading if it is the first of its day. */
export const TurnView = memo(function TurnView({
  turn,
  isNewDay,
  context,
}: {
  turn: Turn;
  isNewDay: boolean;
  context: TurnContext;
}) {
  const isVisitor = turn.role === "user";
  const at = new Date(turn.createdAt);
  const pageId = `page ${turn.id}`;
  return (
    <>
      {isNewDay && (
        <p className="pt-4 pb-2 text-center text-sm text-soft">
          <time dateTime={turn.createdAt.slice(0, 10)}>{day.format(at)}</time>
        </p>
      )}
      <article className={`grid gap-1.5 py-3 ${isVisitor ? "justify-items-end" : ""}`}>
        <header className="flex items-baseline gap-2 text-sm">
          <h3 className="font-medium">{isVisitor ? context.visitor : context.agentName}</h3>
          <time dateTime={turn.createdAt} title={exact.format(at)} className="text-soft">
            {clock.format(at)}
          </time>
        </header>
        {isVisitor ? (
          <>
            <div className="max-w-[85%] rounded-xl bg-sunken px-4 py-2.5">
              <PlainText text={turn.content} query={context.query} />
            </div>
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
      </article>
    </>
  );
});

function Reply({ turn, context }: { turn: Turn; context: TurnContext }) {
  const whyId = `why ${turn.id}`;
  return (
    <div className="grid min-w-0 max-w-[68ch] gap-3">
      {splitReply(turn).map((part, index) =>
        part.kind === "text" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end
          <ReplyText key={index} text={part.text} context={context} />
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
      <WhyAnswer
        agentId={context.agentId}
        searches={turn.searches ?? []}
        isOpen={context.openParts.has(whyId)}
        onToggle={(isOpen) => context.onTogglePart(whyId, isOpen)}
      />
      <TurnFooter turn={turn} />
    </div>
  );
}

/** The text of a reply. The widget renders its Markdown as the visitor saw it. */
function ReplyText({ text, context: { asVisitor, query } }: { text: string; context: TurnContext }) {
  const content = useMemo(
    () => ({ type: "pieces" as const, key: "text", pieces: [{ type: "text" as const, text }], highlight: query }),
    [text, query],
  );
  return asVisitor(content);
}

function TurnFooter({ turn }: { turn: Turn }) {
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
      {turn.feedbackComment && (
        <q className="min-w-0 [overflow-wrap:anywhere]" dir="auto">
          {turn.feedbackComment}
        </q>
      )}
    </footer>
  );
}

/** Whether a turn is the first of its day in the user's time zone. */
export function isNewDay(turns: readonly Turn[], at: number): boolean {
  const [turn, before] = [turns[at], turns[at - 1]];
  if (!turn || !before) return true;
  return new Date(turn.createdAt).toDateString() !== new Date(before.createdAt).toDateString();
}
