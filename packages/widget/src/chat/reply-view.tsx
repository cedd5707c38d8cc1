/** @jsxImportSource preact */
import type { JSX } from "preact";
import { ToolView } from "../display/tool-view.tsx";
import { agentImage } from "../loader/agent-images.ts";
import { interpolate } from "../locales/load-messages.ts";
import { MarkdownView } from "../markdown/markdown-view.tsx";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { CommentField } from "./comment-field.tsx";
import { type Piece, type ReplyEntry, textOf } from "./conversation-state.ts";
import { CopyButton } from "./copy-button.tsx";
import { MessageTime } from "./message-time.tsx";
import { SourceList } from "./source-list.tsx";

type ReplyProps = {
  reply: ReplyEntry;
  isLast: boolean;
  /** The visitor may ask for it again. */
  isOffering: boolean;
};

/** A reply: its pieces, how it ended, and what can be done about it. */
export function ReplyView({ reply, isLast, isOffering }: ReplyProps): JSX.Element {
  const { core, chat, words } = usePanel();
  const isRunning = reply.state === "running";
  const problem = reply.problem ?? (reply.state === "failed" ? words.replyFailed : null);
  const note = { stopped: words.stopped, cut: words.cut }[reply.state as string];
  const avatar = agentImage(core, "avatar");
  const hasCitations = reply.pieces.some((piece) => piece.type === "tool" && piece.kind === "documents");
  return (
    <li class={["reply", isRunning ? "live" : "", avatar ? "faced" : ""].join(" ").trim()} part="reply">
      {avatar ? <img class="avatar" src={avatar} alt="" /> : null}
      <span class="visually-hidden">{`${core.agent.name}: `}</span>
      {reply.pieces.map((piece, index) => (
        <PieceView
          key={index}
          piece={piece}
          hasCitations={hasCitations}
          formKey={formKey(reply, index)}
          isUnfinished={isRunning && index === reply.pieces.length - 1}
        />
      ))}
      {isRunning && (reply.isReconnecting || !isTalking(reply)) ? <Waiting isLost={reply.isReconnecting} /> : null}
      {reply.sources.length > 0 ? <SourceList sources={reply.sources} /> : null}
      {note ? <p class="note">{note}</p> : null}
      {problem ? (
        <div class="failure">
          <p>{problem}</p>
          {isOffering ? (
            <button
              type="button"
              class="quiet"
              onClick={() => (reply.isFull ? chat.sayInNew(reply) : chat.retry(reply))}
            >
              {reply.isFull ? words.newConversation : words.retry}
            </button>
          ) : null}
        </div>
      ) : null}
      {!isRunning && textOf(reply) ? (
        <Actions reply={reply} isLast={isLast} isOffering={isOffering && !problem && !reply.triggerId} />
      ) : null}
      {reply.isCommentWanted && reply.rating === "down" ? <CommentField reply={reply} /> : null}
    </li>
  );
}

type PieceProps = { piece: Piece; formKey: string; isUnfinished: boolean; hasCitations?: boolean };

/** A text or a tool call of a reply. */
export function PieceView({ piece, formKey, isUnfinished, hasCitations = false }: PieceProps): JSX.Element {
  const { core } = usePanel();
  if (piece.type === "tool") return <ToolView tool={piece} formKey={formKey} />;
  return (
    <MarkdownView
      text={piece.text}
      imageHosts={core.agent.allowedImageHosts}
      isUnfinished={isUnfinished}
      hasCitations={hasCitations}
    />
  );
}

/** The same on every page and in every tab, so that a form that was sent is known again. */
function formKey({ id, key, pieces }: ReplyEntry, index: number) {
  return `${id ?? key}:${pieces.slice(0, index).filter(({ type }) => type === "tool").length}`;
}

/** Whether it can be seen that the reply goes on. */
function isTalking({ pieces }: ReplyEntry) {
  const last = pieces.at(-1);
  return last !== undefined && (last.type === "text" ? last.text !== "" : last.state === "running");
}

function Waiting({ isLost }: { isLost: boolean }): JSX.Element {
  const { core, words } = usePanel();
  return (
    <p class="waiting">
      <span class="lamp lit" aria-hidden="true" />
      <span>{isLost ? words.reconnecting : interpolate(words.replying, { name: core.agent.name })}</span>
    </p>
  );
}

function Actions({ reply, isLast, isOffering }: ReplyProps): JSX.Element {
  const { chat, words } = usePanel();
  const rate = (rating: "up" | "down", label: string, icon: "up" | "thumbDown") => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={reply.rating === rating}
      onClick={() => void chat.rate(reply, rating)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <div class={isLast ? "actions last" : "actions"}>
      <CopyButton text={() => textOf(reply)} />
      {reply.id ? rate("up", words.good, "up") : null}
      {reply.id ? rate("down", words.bad, "thumbDown") : null}
      {isOffering ? (
        <button
          type="button"
          class="icon-button"
          aria-label={words.regenerate}
          title={words.regenerate}
          onClick={() => chat.retry(reply)}
        >
          <Icon name="again" />
        </button>
      ) : null}
      <MessageTime at={reply.at} />
    </div>
  );
}
