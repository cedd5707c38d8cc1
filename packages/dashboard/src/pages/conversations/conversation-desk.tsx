import { StickyNote } from "lucide-react";
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { useTyping } from "../../data/inbox-live.ts";
import { useEndpointMutation } from "../../data/queries.ts";
import { AddTagDialog } from "./add-tag-dialog.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import { Composer } from "./composer.tsx";
import type { ComposerMode } from "./composer-text.ts";
import { OwnershipBar } from "./ownership-bar.tsx";
import { ReturnDialog } from "./return-dialog.tsx";
import { SnoozeDialog } from "./snooze-dialog.tsx";
import type { ConversationDetail } from "./split-reply.ts";
import { useColleagues } from "./use-colleagues.ts";
import { useConversationActs } from "./use-conversation-acts.ts";
import { useMe } from "./use-me.ts";
import { useSend } from "./use-send.ts";

/** The actions that keyboard shortcuts run on the open conversation. */
export type DeskHandle = {
  takeOver: () => void;
  reply: () => void;
  note: () => void;
  returnToAgent: () => void;
  assign: () => void;
  addTag: () => void;
  close: () => void;
  /** Resolves the conversation, or opens a resolved or snoozed one again. */
  resolve: () => void;
  snooze: () => void;
};

/** The area below a conversation in which a member works: who handles it, and the composer. */
export function ConversationDesk({
  conversation,
  agentName,
  visitor,
  handle,
  onLeave,
  onResolved,
}: {
  conversation: ConversationDetail;
  agentName: string;
  visitor: string;
  handle: RefObject<DeskHandle | null>;
  /** Called when Escape leaves the message field. */
  onLeave: () => void;
  /** Called when the member has resolved or snoozed the conversation. */
  onResolved: (id: string) => void;
}) {
  const me = useMe();
  const acts = { ...useConversationActs(conversation), colleagues: useColleagues(me, conversation.assignee?.userId) };
  const [isReturning, setReturning] = useState(false);
  const [isAssigning, setAssigning] = useState(false);
  const [isTagging, setTagging] = useState(false);
  const [isSnoozing, setSnoozing] = useState(false);
  const tagging = useEndpointMutation("addConversationTag", {
    changes: ["getConversation", "listConversations", "listTags"],
  });
  const isMine = conversation.handler === "human" && conversation.assignee?.userId === me;
  const { mode, field, write } = useComposerMode(isMine);
  const sending = useSend(conversation.id, mode ?? "reply");
  const takeOver = async () => {
    const focused = document.activeElement;
    if (await acts.takeOver()) write("reply", focused);
  };
  const isOpen = conversation.status === "open";
  const resolve = async () => {
    if (acts.isBusy) return;
    if (!isOpen) return void acts.reopen();
    if (await acts.resolve()) onResolved(conversation.id);
  };
  useImperativeHandle(handle, () => ({
    takeOver: () => void (conversation.handler !== "human" && !acts.isBusy && takeOver()),
    reply: () => isMine && write("reply"),
    note: () => write("note"),
    returnToAgent: () => isMine && setReturning(true),
    assign: () => setAssigning(true),
    addTag: () => setTagging(true),
    close: () => void (conversation.handler !== "agent" && !acts.isBusy && acts.close()),
    resolve: () => void resolve(),
    snooze: () => conversation.handler !== "waiting" && setSnoozing(true),
  }));
  return (
    <footer className="relative grid gap-2 border-t border-line px-4 pt-1 pb-[max(0.75rem,env(safe-area-inset-bottom))] sm:px-6">
      <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-1">
        <TypingLine conversationId={conversation.id} visitor={visitor} me={me} />
        <div className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <OwnershipBar
              conversation={conversation}
              agentName={agentName}
              me={me}
              acts={acts}
              onTakeOver={() => void takeOver()}
              onReturn={() => setReturning(true)}
              onAssign={() => setAssigning(true)}
              onAddTag={() => setTagging(true)}
              onResolve={() => void resolve()}
              onSnooze={() => setSnoozing(true)}
            />
          </div>
          {!isMine && (
            <IconButton label="Add an internal note" className="mt-1" onClick={() => write("note")}>
              <StickyNote size={16} aria-hidden />
            </IconButton>
          )}
        </div>
        {mode && (
          <Composer
            key={`${conversation.id} ${mode}`}
            conversation={conversation}
            agentName={agentName}
            mode={mode}
            field={field}
            sending={sending}
            onLeave={onLeave}
            onResolved={onResolved}
            canReply={isMine}
            onMode={write}
          />
        )}
      </div>
      {isReturning && (
        <ReturnDialog
          agentName={agentName}
          isBusy={acts.isBusy}
          returnToAgent={acts.returnToAgent}
          onClose={() => setReturning(false)}
        />
      )}
      {isAssigning && (
        <AssignDialog
          colleagues={acts.colleagues}
          onChoose={(to) => void ("teamId" in to ? acts.assignTeam(to.teamId) : acts.assign(to.userId))}
          onClose={() => setAssigning(false)}
        />
      )}
      {isSnoozing && (
        <SnoozeDialog
          onChoose={async (until) => {
            if (await acts.snooze(until)) onResolved(conversation.id);
          }}
          onClose={() => setSnoozing(false)}
        />
      )}
      {isTagging && (
        <AddTagDialog
          tags={conversation.tags ?? []}
          onAdd={(name) => tagging.mutate({ id: conversation.id, body: { name } })}
          onClose={() => setTagging(false)}
        />
      )}
    </footer>
  );
}

/** The mode of the composer, its text field, and a function that selects a mode and focuses the field. */
function useComposerMode(isMine: boolean) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [chosen, setChosen] = useState<ComposerMode | null>(null);
  const mode = isMine ? (chosen ?? "reply") : chosen === "note" ? "note" : null;
  // The mode whose field receives the focus. The field exists only after the mode has been rendered and, after a
  // takeover, after the conversation has been refetched.
  const awaited = useRef<{ mode: ComposerMode; focused: Element | null } | null>(null);
  useEffect(() => {
    if (awaited.current?.mode !== mode) return;
    const { focused } = awaited.current;
    awaited.current = null;
    // The member may have moved the focus elsewhere in the meantime. A removed or disabled button leaves it on the
    // body.
    if ([focused, document.body].includes(document.activeElement)) field.current?.focus();
  });
  /** @param focused the element that had the focus when the member started the action */
  const write = (wanted: ComposerMode, focused = document.activeElement) => {
    setChosen(wanted);
    if (wanted === mode) field.current?.focus();
    else awaited.current = { mode: wanted, focused };
  };
  return { mode, field, write };
}

/** Who is typing right now: the visitor, or a colleague. */
function TypingLine({ conversationId, visitor, me }: { conversationId: string; visitor: string; me: string | null }) {
  const typing = useTyping(conversationId).filter(({ person }) => person?.userId !== me || person === null);
  const names = typing.map(({ person }) => person?.name ?? visitor);
  return (
    <p
      aria-live="polite"
      className="pointer-events-none absolute bottom-full mb-px rounded-t-md bg-paper px-2 text-sm text-soft empty:hidden"
    >
      {names.length > 0 && `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} typing…`}
    </p>
  );
}
