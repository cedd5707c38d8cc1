import { attach } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { ArrowUp, MessageSquareText, Sparkles } from "lucide-react";
import { type RefObject, useId, useRef, useState } from "react";
import { AttachButton } from "../../components/attach/attach-button.tsx";
import { DraftList } from "../../components/attach/draft-list.tsx";
import { type Attaching, useAttachments } from "../../components/attach/use-attachments.ts";
import { IconButton } from "../../components/button.tsx";
import { isComposing } from "../../components/composing.ts";
import { GrowingTextarea } from "../../components/field.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { request } from "../../data/api.ts";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import { CannedReplyList, ColleagueList, useCannedReplies, useSuggestions } from "./canned-replies.tsx";
import { fillCannedText, findMentionSearch, findSlashSearch } from "./canned-text.ts";
import { ActionsLine, SendHints } from "./composer-lines.tsx";
import { type ComposerMode, combineActions, type ReplyActions, withoutSent } from "./composer-text.ts";
import { filterColleagues } from "./find-colleagues.ts";
import type { ConversationDetail } from "./split-reply.ts";
import { useColleagues } from "./use-colleagues.ts";
import { useMessageDraft } from "./use-message-draft.ts";
import type { Sent } from "./use-send.ts";
import { useSendKey } from "./use-send-key.ts";
import { useTypingReport } from "./use-typing-report.ts";

/** The server's limits, in characters. */
const maxLength: Record<ComposerMode, number> = { reply: 8_000, note: 4_000 };

type Props = {
  conversation: ConversationDetail;
  agentName: string;
  mode: ComposerMode;
  /** Whether the member has the conversation. Otherwise, only notes can be written. */
  canReply: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  /** `send` resolves to whether the text was sent. */
  sending: { send: (sent: Sent) => Promise<boolean>; isSending: boolean };
  onMode: (mode: ComposerMode) => void;
  /** Called when Escape leaves the field. */
  onLeave: () => void;
  /** Called when a reply that resolves or snoozes the conversation was sent. */
  onResolved: (id: string) => void;
};

/** Writes a message to the visitor, or an internal note. Enter sends, except on touch screens. */
export function Composer({
  conversation,
  agentName,
  mode,
  canReply,
  field,
  sending,
  onMode,
  onLeave,
  onResolved,
}: Props) {
  const { id } = conversation;
  const listId = useId();
  const unsent = useMessageDraft(id, mode);
  const { text, actions } = unsent.content;
  const [caret, setCaret] = useState(0);
  const sendKey = useSendKey();
  const user = useQuery(endpointQuery("getSession")).data?.user;
  const me = user?.id ?? null;
  const memberName = user?.name ?? null;
  const { send, isSending } = sending;
  const attaching = useAttachments((file, signal) => attach(request, file, { conversationId: id, signal }), {
    attachments: unsent.content.attachments,
    onChange: (attachments) => unsent.change({ attachments }),
  });
  const draft = useEndpointMutation("draftReply");
  const reportTyping = useTypingReport(id);
  const isReply = mode === "reply";
  const write = (next: string, caretAt = next.length) => {
    unsent.change({ text: next });
    setCaret(caretAt);
    field.current?.focus();
    // The field has the new text after the next render.
    requestAnimationFrame(() => field.current?.setSelectionRange(caretAt, caretAt));
  };
  const slash = isReply ? findSlashSearch(text, caret) : null;
  const { data: replies } = useQuery({ ...endpointQuery("listCannedReplies"), enabled: slash !== null });
  const message = conversation.messages.findLast(({ role }) => role === "user")?.content ?? "";
  const canned = useCannedReplies(replies, { search: slash, message }, (reply, at) => {
    const { userName: visitorName, userEmail: visitorEmail } = conversation;
    const filled = fillCannedText(reply.text, { visitorName, visitorEmail, memberName, agentName });
    if (reply.actions) unsent.change({ actions: combineActions(actions, reply.actions) });
    write(text.slice(0, at) + filled + text.slice(caret), at + filled.length);
  });
  const colleagues = useColleagues(me);
  const mentions = useSuggestions(
    isReply ? null : findMentionSearch(text, caret),
    (query) =>
      // A space after the whole name ends the search.
      filterColleagues(colleagues, query).filter(
        ({ isMe, name }) => !isMe && !query.startsWith(`${name.toLowerCase()} `),
      ),
    ({ name }, at) => write(`${text.slice(0, at)}@${name} ${text.slice(caret)}`, at + name.length + 2),
  );
  const list = isReply ? canned : mentions;
  const ids = attaching.attachments.map(({ id: attachmentId }) => attachmentId);
  const canSend = (text.trim() !== "" || ids.length > 0) && !attaching.isPending && !isSending;
  const submit = async ({ resolves = false } = {}) => {
    const sent = text.trim();
    const resolving: ReplyActions = { ...(actions?.tagIds ? { tagIds: actions.tagIds } : {}), resolve: true };
    const run = isReply ? (resolves ? resolving : actions) : null;
    if (!canSend || !(await send({ text: sent, attachments: ids, actions: run }))) return;
    const rest = withoutSent(unsent.read().text, text);
    attaching.clear();
    unsent.end(rest);
    if (run?.resolve || run?.snoozeMinutes) onResolved(id);
    // A note only interrupts the conversation with the visitor, so return to replying, unless the member is already
    // writing another note.
    if (!isReply && canReply && field.current?.value === text) onMode("reply");
  };
  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] gap-2"
      {...attaching.target}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <ComposerBar
        mode={mode}
        canReply={canReply}
        onMode={onMode}
        text={text}
        write={write}
        conversationId={id}
        draft={draft}
        attaching={attaching}
      />
      <DraftList attaching={attaching} />
      {isReply && actions && <ActionsLine actions={actions} onRemove={() => unsent.change({ actions: null })} />}
      <p role="status" className="flex items-center gap-2 text-sm text-soft empty:hidden">
        {draft.isPending && (
          <>
            <span aria-hidden className="glow size-2 shrink-0 rounded-full bg-lamp" />
            <span className="min-w-0 truncate">{agentName} is writing a draft…</span>
          </>
        )}
      </p>
      <div className="relative flex items-end gap-2">
        {isReply ? <CannedReplyList id={listId} canned={canned} /> : <ColleagueList id={listId} list={mentions} />}
        <GrowingTextarea
          ref={field}
          rows={1}
          maxLength={maxLength[mode]}
          aria-label={isReply ? "Message to the visitor" : "Internal note"}
          aria-autocomplete="list"
          aria-controls={list.shown.length > 0 ? listId : undefined}
          aria-activedescendant={list.shown.length > 0 ? `${listId}-${list.active}` : undefined}
          placeholder={
            isReply
              ? "Write to the visitor, or type / for a canned reply"
              : "Only your team sees this. Type @ to mention a colleague."
          }
          value={text}
          onChange={(event) => {
            const { value } = event.target;
            // A text that was deleted takes the actions of its canned reply with it.
            unsent.change(value === "" ? { text: value, actions: null } : { text: value });
            setCaret(event.target.selectionEnd);
            // The visitor sees that the member who has the conversation is typing, which a note must not announce.
            if (isReply || !canReply) reportTyping();
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionEnd)}
          onKeyDown={(event) => {
            if (list.onKeyDown(event) || isComposing(event)) return;
            if (event.key === "Escape") {
              event.stopPropagation();
              // Remove the focus even if the list has no row to focus. Otherwise, shortcut keys would still be typed
              // into the field.
              event.currentTarget.blur();
              onLeave();
            }
            // On touch screens, Enter is the only way to start a new line.
            const isNewLine =
              event.shiftKey || (matchMedia("(hover: none)").matches && !event.ctrlKey && !event.metaKey);
            if (event.key !== "Enter" || isNewLine) return;
            event.preventDefault();
            if (!event.repeat)
              void submit({ resolves: isReply && sendKey.resolves && (event.ctrlKey || event.metaKey) });
          }}
          className={`max-h-[30vh] min-h-11 min-w-0 flex-1 resize-none rounded-lg border bg-raised px-3 py-2.5 ${isReply ? "border-edge" : "border-dashed border-edge"}`}
        />
        <IconButton
          type="submit"
          label={isReply ? "Send" : "Add note"}
          disabled={!canSend}
          aria-busy={isSending || undefined}
          className={`size-11! border border-line ${isReply && canSend ? "bg-lamp text-on-lamp! hover:bg-lamp-hover" : "text-ink"}`}
        >
          <ArrowUp size={18} aria-hidden />
        </IconButton>
      </div>
      {isReply && <SendHints text={text} />}
    </form>
  );
}

/** The bar below the text field: selects the mode and inserts prepared texts. */
function ComposerBar({
  conversationId,
  mode,
  canReply,
  onMode,
  text,
  write,
  draft,
  attaching,
}: Pick<Props, "mode" | "canReply" | "onMode"> & SuggestProps & { attaching: Attaching }) {
  return (
    <div className="flex items-center gap-1">
      {canReply ? (
        <SegmentedControl
          label="What you write"
          value={mode}
          onChange={onMode}
          options={[
            { value: "reply", label: "Reply" },
            { value: "note", label: "Internal note" },
          ]}
        />
      ) : (
        <p className="text-sm text-soft">Internal note, visible to your team only</p>
      )}
      <span className="flex-1" />
      <AttachButton attaching={attaching} />
      {mode === "reply" && (
        <>
          <SuggestButton
            conversationId={conversationId}
            text={text}
            write={write}
            draft={draft}
            attachments={attaching.attachments.map(({ id }) => id)}
          />
          <IconButton
            label="Insert a canned reply"
            onClick={() => write(text === "" || /\s$/.test(text) ? `${text}/` : `${text} /`)}
          >
            <MessageSquareText size={16} aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}

type SuggestProps = {
  conversationId: string;
  text: string;
  write: (text: string) => void;
  draft: ReturnType<typeof useEndpointMutation<"draftReply">>;
};

/**
 * Requests a draft from the agent, which the member edits and sends. The draft replaces the text, and a toast offers to
 * restore the text.
 */
function SuggestButton({ conversationId, text, write, draft, attachments }: SuggestProps & { attachments: string[] }) {
  const before = useRef(text);
  before.current = text;
  const suggest = () =>
    draft.mutate(
      { id: conversationId, body: { attachments } },
      {
        onSuccess: (answer) => {
          const replaced = before.current;
          write(answer.text);
          if (replaced.trim() !== "") notify("Your text was replaced by a draft", { undo: () => write(replaced) });
        },
      },
    );
  return (
    <IconButton
      label="Suggest an answer"
      // A disabled button would lose the focus while the draft is written.
      aria-disabled={draft.isPending || undefined}
      aria-busy={draft.isPending || undefined}
      onClick={() => !draft.isPending && suggest()}
      className={draft.isPending ? "glow" : ""}
    >
      <Sparkles size={16} aria-hidden />
    </IconButton>
  );
}
