/** @jsxImportSource preact */
import type { JSX } from "preact";
import { joinText, mayCite, type Part, type ReplyEntry } from "../conversation/conversation-state.ts";
import { ToolView } from "../display/tool-view.tsx";
import { interpolate } from "../locales/load-messages.ts";
import { IconButton } from "../panel/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { AttachmentPlace } from "./attachment-place.tsx";
import { CommentField } from "./comment-field.tsx";
import { CopyButton } from "./copy-button.tsx";
import { MarkdownView } from "./markdown-view.tsx";
import { MessageTime } from "./message-time.tsx";
import { Sender } from "./sender.tsx";
import { SourceList } from "./source-list.tsx";
import { SuggestionList } from "./suggestion-list.tsx";

type ReplyProps = {
  reply: ReplyEntry;
  isLast: boolean;
  /** Whether the visitor can regenerate it, or continue with one of its suggestions. */
  canRegenerate: boolean;
};

/** Whether the entry before it has another sender. */
type RunProps = { startsRun: boolean };

/** A reply: its parts, how it ended, and the available actions. */
export function ReplyView({ reply, isLast, canRegenerate, startsRun }: ReplyProps & RunProps): JSX.Element {
  const { core, chat, messages } = usePanel();
  const isRunning = reply.state === "running";
  const problem = reply.problem ?? (reply.state === "failed" ? messages.replyFailed : null);
  const note = { stopped: messages.stopped, cut: messages.stepLimitReached }[reply.state as string];
  const { person } = reply;
  const hasFace = person ? true : core.agent.widget.face !== "none";
  const sources = mayCite(reply) ? reply.sources : undefined;
  return (
    <li
      class="reply"
      part="reply"
      // A translation by the browser replaces the text nodes, and text that arrives later would be lost.
      translate={!isRunning}
    >
      {startsRun && hasFace ? (
        <Sender person={person} light={isRunning ? "glowing" : problem ? "dark" : "lit"} />
      ) : (
        <span class="visually-hidden">{`${person?.name ?? core.agent.name}: `}</span>
      )}
      <AttachmentPlace message={reply} />
      {reply.parts.map((part, index) => (
        <PieceView
          key={index}
          part={part}
          sources={sources}
          formKey={formKey(reply, index)}
          isUnfinished={isRunning && index === reply.parts.length - 1}
        />
      ))}
      {isRunning && (reply.notice || !showsProgress(reply)) ? (
        <p class="waiting">{reply.notice ?? interpolate(messages.replying, { name: core.agent.name })}</p>
      ) : null}
      {reply.sources.length > 0 ? <SourceList sources={reply.sources} /> : null}
      {note ? <p class="note">{note}</p> : null}
      {problem ? (
        <div class="failure">
          <p>{problem}</p>
          {canRegenerate && !reply.isLasting ? (
            <button
              type="button"
              class="quiet"
              onClick={() => (reply.isFull ? chat.resendInNew(reply) : chat.retry(reply))}
            >
              {reply.isFull ? messages.newConversation : messages.retry}
            </button>
          ) : null}
        </div>
      ) : null}
      {!isRunning && joinText(reply) ? (
        <Actions
          reply={reply}
          isLast={isLast}
          canRegenerate={canRegenerate && !problem && !person && !reply.triggerId}
        />
      ) : null}
      {reply.isCommentWanted && reply.rating === "down" ? <CommentField reply={reply} /> : null}
      {canRegenerate && !problem ? <SuggestionList suggestions={reply.suggestions} /> : null}
    </li>
  );
}

type PieceProps = { part: Part; formKey: string; isUnfinished: boolean; sources?: ReplyEntry["sources"] | undefined };

/** A text or a tool call of a reply. */
export function PieceView({ part, formKey, isUnfinished, sources }: PieceProps): JSX.Element {
  const { core } = usePanel();
  if (part.type === "tool") return <ToolView tool={part} formKey={formKey} />;
  return (
    <MarkdownView
      text={part.text}
      imageHosts={core.agent.allowedImageHosts}
      isUnfinished={isUnfinished}
      sources={sources}
    />
  );
}

/** The key is identical on every page and in every tab, so a submitted form is recognized. */
function formKey({ id, key, parts }: ReplyEntry, index: number) {
  return `${id ?? key}:${parts.slice(0, index).filter(({ type }) => type === "tool").length}`;
}

/** Whether the last part already shows progress, so no waiting indicator is needed. */
function showsProgress({ parts }: ReplyEntry) {
  const last = parts.at(-1);
  return last !== undefined && (last.type === "text" ? last.text !== "" : last.state === "running");
}

function Actions({ reply, isLast, canRegenerate }: ReplyProps): JSX.Element {
  const { chat, messages } = usePanel();
  const rate = (rating: "up" | "down", label: string, name: "up" | "thumbDown") => (
    <IconButton
      name={name}
      label={label}
      pressed={reply.rating === rating}
      onClick={() => void chat.rate(reply, rating)}
    />
  );
  return (
    <div class={isLast ? "actions last" : "actions"}>
      <CopyButton text={() => joinText(reply)} />
      {reply.id ? rate("up", messages.goodReply, "up") : null}
      {reply.id ? rate("down", messages.badReply, "thumbDown") : null}
      {canRegenerate ? <IconButton name="again" label={messages.regenerate} onClick={() => chat.retry(reply)} /> : null}
      <MessageTime at={reply.at} />
    </div>
  );
}
