import type { Attachment } from "@foyer/contract";
import { ChevronRight } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../../../components/button.tsx";
import { CalledAs } from "../../../components/called-as.tsx";
import { formatDuration } from "../../../components/duration-text.ts";
import { LabeledJson } from "../../../components/json-block.tsx";
import { ReplyTrace } from "../../../components/reply-trace/reply-trace.tsx";
import { Status, Tag } from "../../../components/status.tsx";
import { builtInTitle, toolTitle } from "../../../components/tool-title.ts";
import { WhyAnswer } from "../../../components/why-answer/why-answer.tsx";
import { TRANSCRIPT_FONT, WidgetView } from "../../../components/widget-view.tsx";
import { AttachmentList } from "../../conversations/attachment-list.tsx";
import { noticeTexts } from "../../conversations/notice-texts.ts";
import { RemovedLinks } from "../../conversations/removed-links.tsx";
import { toKind, toolKinds } from "../../tools/tool-kinds.tsx";
import { findPreviousResult, mayCite, type PlaygroundTool, type PlaygroundTurn } from "./playground-state.ts";
import type { PlaygroundChatState } from "./use-playground-chat.ts";

/** A message and its reply as visitors see it, with tool calls, durations and token usage. */
export function PlaygroundTurnView({
  turn,
  agentName,
  chat,
  onAgain,
}: {
  turn: PlaygroundTurn;
  agentName: string;
  chat: PlaygroundChatState;
  onAgain: () => void;
}) {
  const isRunning = turn.state === "running";
  const isSilent = isRunning && turn.parts.length === 0;
  return (
    <article className="grid gap-3">
      <div className="grid justify-items-end gap-1.5 justify-self-end sm:max-w-[85%]">
        <span className="sr-only">You: </span>
        {chat.conversation && turn.id && (
          <AttachmentList attachments={withUrls(turn.attached, chat.conversation.id)} isAtEnd />
        )}
        {turn.said !== "" && <div className="rounded-xl bg-sunken px-3.5 py-2 whitespace-pre-wrap">{turn.said}</div>}
      </div>
      <div
        className="grid min-w-0 gap-2 border-s-2 border-line ps-3 data-live:border-lamp"
        data-live={isRunning || undefined}
      >
        <p className="text-sm font-medium">{agentName}</p>
        {turn.notices.map(({ code }) => (
          <p key={code} className="text-sm text-soft">
            {noticeTexts[code]}
          </p>
        ))}
        {turn.parts.map((part, index) =>
          part?.type === "text" ? (
            <ReplyText
              // biome-ignore lint/suspicious/noArrayIndexKey: a part is identified by its position in the reply
              key={index}
              text={part.text}
              isUnfinished={isRunning && index === turn.parts.length - 1}
              hasCitations={mayCite(turn)}
              chat={chat}
            />
          ) : (
            part && <ToolCall key={part.id} tool={part} chat={chat} />
          ),
        )}
        {isSilent && <p className="glow text-soft">Waiting for the reply</p>}
        {chat.agent && <RemovedLinks agentId={chat.agent.id} links={turn.removedLinks} />}
        {chat.agent && <WhyAnswer agentId={chat.agent.id} searches={turn.searches} />}
        {chat.agent && chat.conversation && turn.stored && (
          <ReplyTrace
            agentId={chat.agent.id}
            conversationId={chat.conversation.id}
            reply={turn.stored}
            searches={turn.searches}
          />
        )}
        <TurnEnd turn={turn} onAgain={onAgain} />
      </div>
    </article>
  );
}

const withUrls = (attachments: readonly Attachment[], conversationId: string) =>
  attachments.map((one) => ({ ...one, url: `/conversations/${conversationId}/attachments/${one.id}` }));

function TurnEnd({ turn, onAgain }: { turn: PlaygroundTurn; onAgain: () => void }) {
  if (turn.isReconnecting) return <p className="text-sm text-soft">Connection lost. Reconnecting…</p>;
  if (turn.state === "running") return null;
  const { startedAt, firstWordAt, endedAt, tokens } = turn;
  const facts = [
    ...(firstWordAt === null ? [] : [`first word after ${formatDuration(firstWordAt - startedAt)}`]),
    ...(endedAt === null ? [] : [`done after ${formatDuration(endedAt - startedAt)}`]),
    ...(tokens ? [`${tokens.toLocaleString()} tokens`] : []),
  ];
  return (
    <>
      {turn.state === "failed" && (
        <>
          <p className="text-wrong">The reply failed. {turn.problem ?? "The model did not give a reason."}</p>
          <Button className="justify-self-start" onClick={onAgain}>
            Try again
          </Button>
        </>
      )}
      {turn.state === "stopped" && <p className="text-sm text-soft">Stopped. The partial reply is saved.</p>}
      {turn.state === "cut" && <p className="text-sm text-soft">The reply was cut off at a limit.</p>}
      {turn.state !== "failed" && facts.length > 0 && (
        <p className="text-sm text-soft first-letter:uppercase">{facts.join(" · ")}</p>
      )}
    </>
  );
}

const states = {
  running: { tone: "live", word: "Running" },
  done: { tone: "fine", word: "Answered" },
  failed: { tone: "wrong", word: "Failed" },
} as const;

type ReplyTextProps = { text: string; isUnfinished: boolean; hasCitations: boolean; chat: PlaygroundChatState };

function ReplyText({ text, isUnfinished, hasCitations, chat }: ReplyTextProps) {
  const content = useMemo(() => {
    const parts = [{ type: "text" as const, text }];
    return { type: "parts" as const, key: "text", parts, isUnfinished, hasCitations };
  }, [text, isUnfinished, hasCitations]);
  return (
    chat.agent && <WidgetView agent={chat.agent} content={content} live={toLiveParts(chat)} font={TRANSCRIPT_FONT} />
  );
}

const toLiveParts = (chat: PlaygroundChatState) => ({
  conversation: chat.conversation,
  onSay: (text: string) => !chat.isRunning && void chat.say(text),
  userToken: chat.userToken,
});

/** The display of a tool's result, unless it is only a line of text. It works as it does for visitors. */
function ShownByTool({ tool, chat }: { tool: PlaygroundTool; chat: PlaygroundChatState }) {
  const before = findPreviousResult(chat.turns, tool);
  const content = useMemo(
    () => ({ type: "parts" as const, key: tool.id, parts: [tool], previousResult: before }),
    [tool, before],
  );
  const isShown = tool.form !== null || (tool.display !== null && tool.display.type !== "text");
  return (
    isShown &&
    chat.agent && <WidgetView agent={chat.agent} content={content} live={toLiveParts(chat)} font={TRANSCRIPT_FONT} />
  );
}

function ToolCall({ tool, chat }: { tool: PlaygroundTool; chat: PlaygroundChatState }) {
  const { tone, word } = states[tool.state];
  const builtIn = builtInTitle(tool.kind);
  const kind = toKind(tool.kind);
  const took = tool.endedAt === null ? "" : ` in ${formatDuration(tool.endedAt - tool.startedAt)}`;
  return (
    <div className="grid min-w-0 gap-2">
      <details className="group rounded-lg border border-line">
        <summary className="flex min-h-9 flex-wrap items-center gap-x-2 px-2.5 py-1">
          <ChevronRight
            size={14}
            aria-hidden
            className="shrink-0 text-soft transition-transform group-open:rotate-90"
          />
          <span className="font-medium">{builtIn ?? toolTitle(tool.name)}</span>
          {kind && <Tag>{toolKinds[kind].name}</Tag>}
          <span className="ms-auto text-sm text-soft">
            <Status tone={tone}>
              {word}
              {took}
            </Status>
          </span>
        </summary>
        <div className="grid gap-2 border-t border-line px-2.5 py-2.5">
          {!builtIn && <CalledAs name={tool.name} />}
          <LabeledJson label="Input" value={tool.input} />
          {tool.state !== "running" && (
            <LabeledJson label={tool.state === "failed" ? "Error" : "Result"} value={tool.result} />
          )}
        </div>
      </details>
      {tool.state === "done" && <ShownByTool tool={tool} chat={chat} />}
    </div>
  );
}
