import { UserRound } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import type { PlaygroundChatState } from "./use-playground-chat.ts";
import { describeVisitor } from "./use-playground-visitor.ts";
import { VisitorDialog } from "./visitor-dialog.tsx";

/** Names the current visitor, and opens the dialog that changes it. */
export function VisitorButton({ chat }: { chat: PlaygroundChatState }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="plain" className="min-w-0 shrink! text-soft" onClick={() => setOpen(true)}>
        <UserRound size={16} aria-hidden className="shrink-0" />
        <span className="sr-only">Visitor: </span>
        <span className="truncate">{describeVisitor(chat.visitor)}</span>
      </Button>
      {isOpen && <VisitorDialog visitor={chat.visitor} onChange={chat.setVisitor} onClose={() => setOpen(false)} />}
    </>
  );
}
