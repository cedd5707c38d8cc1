import type { AttachmentSettings } from "@foyer/contract";
import { ArrowUp, RotateCcw, Square } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { AttachButton } from "../../../components/attach/attach-button.tsx";
import { DraftList } from "../../../components/attach/draft-list.tsx";
import { useAttachments } from "../../../components/attach/use-attachments.ts";
import { Button, ButtonLink, IconButton } from "../../../components/button.tsx";
import { isComposing } from "../../../components/composing.ts";
import { GrowingTextarea } from "../../../components/field.tsx";
import type { PageSuggestions } from "../widget-draft.ts";
import { PlaygroundTurnView } from "./playground-turn.tsx";
import { type PlaygroundChatState, usePlaygroundChat } from "./use-playground-chat.ts";

/**
 * A live chat with the saved agent, next to the settings that are being edited. `note` says which changes are unsaved.
 */
export function PlaygroundChat({
  agentId,
  agentName,
  note,
  suggestions = [],
  pageSuggestions = [],
  onReply,
  besideTitle,
  className = "",
}: {
  agentId: string;
  agentName: string;
  note?: ReactNode;
  suggestions?: readonly string[];
  /** Suggestions that replace the general ones on some pages. */
  pageSuggestions?: readonly PageSuggestions[];
  /** Called when a reply has ended. */
  onReply?: () => void;
  /** A control in the header that changes the chat. */
  besideTitle?: (chat: PlaygroundChatState) => ReactNode;
  className?: string;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const chat = withFocusKept(usePlaygroundChat(agentId), field);
  const hasReply = chat.turns.some(({ state }) => state === "done");
  useEffect(() => {
    if (hasReply) onReply?.();
  }, [hasReply, onReply]);
  return (
    <section
      aria-label={`Try ${agentName}`}
      className={`flex min-h-0 flex-col rounded-lg border border-line bg-raised ${className}`}
    >
      <header className="flex min-h-12 items-center gap-1 border-b border-line ps-4 pe-1.5">
        <h2 className="me-auto font-semibold">Playground</h2>
        {besideTitle?.(chat)}
        {chat.conversation && (
          <ButtonLink
            variant="plain"
            className="text-soft"
            to="/agents/$agentId/conversations/$conversationId"
            params={{ agentId, conversationId: chat.conversation.id }}
          >
            Transcript
          </ButtonLink>
        )}
        <IconButton label="New conversation" disabled={chat.turns.length === 0} onClick={chat.restart}>
          <RotateCcw size={16} aria-hidden />
        </IconButton>
      </header>
      {note && (
        <p role="status" className="border-b border-line bg-sunken px-4 py-2 text-sm">
          {note}
        </p>
      )}
      <Turns
        chat={chat}
        agentName={agentName}
        starters={<Starters chat={chat} suggestions={suggestions} pageSuggestions={pageSuggestions} />}
      />
      <Composer chat={chat} agentName={agentName} field={field} />
    </section>
  );
}

function Turns({
  chat,
  agentName,
  starters,
}: {
  chat: PlaygroundChatState;
  agentName: string;
  /** Shown until the conversation starts. */
  starters: ReactNode;
}) {
  const list = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    // Follows the reply as it streams in, unless the user has scrolled up.
    if (chat.turns.length > 0 && isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [chat.turns]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = list.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  const last = chat.turns.at(-1);
  return (
    <>
      <section
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        tabIndex={0}
        aria-label="Conversation"
        onScroll={onScroll}
        className="min-h-0 flex-1 overflow-y-auto p-4"
      >
        {chat.turns.length === 0 ? (
          <EmptyConversation agentName={agentName} starters={starters} />
        ) : (
          <div className="grid gap-6">
            {chat.turns.map((turn) => (
              <PlaygroundTurnView
                key={turn.key}
                turn={turn}
                agentName={agentName}
                chat={chat}
                // A message that the server has stored keeps its attachments, and they can be attached once.
                onAgain={() => !chat.isRunning && void chat.say(turn.said || "…", turn.id ? [] : turn.attached)}
              />
            ))}
            {last?.state === "done" && <Suggestions chat={chat} label="Suggestions" suggestions={last.suggestions} />}
          </div>
        )}
      </section>
      <p role="status" className="sr-only">
        {last && last.state !== "running" ? `${agentName} has replied.` : last ? `${agentName} is replying.` : ""}
      </p>
    </>
  );
}

function EmptyConversation({ agentName, starters }: { agentName: string; starters: ReactNode }) {
  return (
    <div className="grid gap-3">
      <p className="max-w-[44ch] text-soft">
        Chat with {agentName} as a visitor would. Tools make real calls, forms create real submissions, and you can
        inspect each request and response.
      </p>
      {starters}
    </div>
  );
}

/** The general suggestions, and below them those of each page. */
function Starters({
  chat,
  suggestions,
  pageSuggestions,
}: {
  chat: PlaygroundChatState;
  suggestions: readonly string[];
  pageSuggestions: readonly PageSuggestions[];
}) {
  return (
    <>
      <Suggestions chat={chat} label="Suggestions" suggestions={suggestions} />
      {pageSuggestions
        .filter((list) => list.suggestions.length > 0)
        .map((list, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: patterns may repeat
          <div key={index} className="grid gap-2">
            <p className="text-sm text-soft">
              On <code>{list.page}</code>
            </p>
            <Suggestions chat={chat} label={`Suggestions on ${list.page}`} suggestions={list.suggestions} />
          </div>
        ))}
    </>
  );
}

function Suggestions({
  chat,
  label,
  suggestions,
}: {
  chat: PlaygroundChatState;
  label: string;
  suggestions: readonly string[];
}) {
  if (suggestions.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap gap-2">
      {suggestions.map((suggestion) => (
        <li key={suggestion}>
          <Button className="text-start whitespace-normal" onClick={() => void chat.say(suggestion)}>
            {suggestion}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/**
 * Wraps actions whose button disappears or becomes disabled: moves the focus to the message field, except on touch
 * screens, where that would open the keyboard.
 */
function withFocusKept(chat: PlaygroundChatState, field: RefObject<HTMLTextAreaElement | null>): PlaygroundChatState {
  const focus = () => matchMedia("(hover: hover)").matches && field.current?.focus();
  return {
    ...chat,
    say: (...message) => {
      focus();
      return chat.say(...message);
    },
    stop: () => {
      focus();
      chat.stop();
    },
    restart: () => {
      focus();
      chat.restart();
    },
  };
}

function Composer({
  chat,
  agentName,
  field,
}: {
  chat: PlaygroundChatState;
  agentName: string;
  field: RefObject<HTMLTextAreaElement | null>;
}) {
  const [text, setText] = useState("");
  const attaching = useAttachments(chat.upload);
  const canAttach = chat.agent !== undefined && canAttachNow(chat.agent.attachments);
  const canSend = (text.trim() !== "" || attaching.attachments.length > 0) && !attaching.isPending;
  const send = () => {
    if (!canSend || chat.isRunning) return;
    void chat.say(text.trim(), attaching.attachments);
    setText("");
    attaching.clear();
  };
  return (
    <form
      className="grid gap-2 border-t border-line p-2"
      {...(canAttach ? attaching.target : {})}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <DraftList attaching={attaching} />
      <div className="flex items-end gap-2">
        {canAttach && <AttachButton attaching={attaching} />}
        <GrowingTextarea
          ref={field}
          rows={1}
          aria-label={`Message to ${agentName}`}
          placeholder="Write a message"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
            event.preventDefault();
            if (!event.repeat) send();
          }}
          className="max-h-40 min-h-9 min-w-0 flex-1 resize-none rounded-lg border border-edge bg-paper px-3 py-1.5 pointer-coarse:min-h-11"
        />
        {chat.isRunning ? (
          <IconButton label="Stop" className="border border-line text-ink" onClick={chat.stop}>
            <Square size={14} aria-hidden className="fill-current" />
          </IconButton>
        ) : (
          <IconButton type="submit" label="Send" disabled={!canSend} className="border border-line text-ink">
            <ArrowUp size={16} aria-hidden />
          </IconButton>
        )}
      </div>
    </form>
  );
}

/** Whether a visitor can attach something while the agent has the conversation. */
const canAttachNow = ({ images, files, handoffOnly }: AttachmentSettings) => (images || files) && !handoffOnly;
