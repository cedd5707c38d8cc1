import { ArrowLeft, Download, FlaskConical, Tag, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { KeepAsTest } from "../tests/keep-as-test.tsx";
import { ConversationTags } from "./conversation-tags.tsx";
import { formatConversation } from "./conversation-text.ts";
import { RevokeLinks } from "./revoke-links.tsx";
import { saveFile } from "./save-file.ts";
import type { ConversationDetail } from "./split-reply.ts";

/** The title and the tags of the open conversation, and the actions on it that do not concern who handles it. */
export function ConversationHeader({
  agentName,
  conversation,
  onAddTag,
  onBack,
  onDelete,
}: {
  agentName: string;
  conversation: ConversationDetail;
  /** Opens the dialog that adds a tag. */
  onAddTag: () => void;
  onBack: () => void;
  onDelete: () => void;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const addTag = useRef<HTMLButtonElement>(null);
  const [isKeeping, setKeeping] = useState(false);
  // On phones the conversation replaces the list, which had the focus.
  useEffect(() => {
    if (document.activeElement === document.body || matchMedia("(width < 48rem)").matches) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  const exportAs = (kind: "json" | "txt") => {
    const text = kind === "json" ? JSON.stringify(conversation, null, 2) : formatConversation(conversation, agentName);
    saveFile(`${conversation.id}.${kind}`, kind === "json" ? "application/json" : "text/plain;charset=utf-8", [text]);
  };
  return (
    <header className="border-b border-line px-2 sm:ps-6 sm:pe-4">
      <div className="flex min-h-14 items-center gap-1 py-2">
        <BackButton onBack={onBack} />
        <h2
          ref={heading}
          tabIndex={-1}
          className="line-clamp-2 min-w-0 flex-1 text-lg [overflow-wrap:anywhere] outline-none"
        >
          {conversation.title}
        </h2>
        <IconButton ref={addTag} label="Add tag" aria-haspopup="dialog" onClick={onAddTag}>
          <Tag size={16} aria-hidden />
        </IconButton>
        <IconButton label="Keep as test" aria-haspopup="dialog" onClick={() => setKeeping(true)}>
          <FlaskConical size={16} aria-hidden />
        </IconButton>
        <Menu
          trigger={
            <IconButton label="Export this conversation">
              <Download size={16} aria-hidden />
            </IconButton>
          }
          items={[
            { label: "As JSON", onSelect: () => exportAs("json") },
            { label: "As plain text", onSelect: () => exportAs("txt") },
          ]}
        />
        {(conversation.answerEmails ?? []).length > 0 && <RevokeLinks id={conversation.id} />}
        <IconButton label="Delete conversation" onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
      <ConversationTags conversation={conversation} addTag={addTag} />
      {isKeeping && (
        <KeepAsTest agentId={conversation.agentId} conversationId={conversation.id} onClose={() => setKeeping(false)} />
      )}
    </header>
  );
}

export function BackButton({ onBack }: { onBack: () => void }) {
  return (
    <IconButton label="Back to the list" onClick={onBack} className="md:hidden">
      <ArrowLeft size={18} aria-hidden />
    </IconButton>
  );
}
