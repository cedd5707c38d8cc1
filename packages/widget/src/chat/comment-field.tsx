/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ReplyEntry } from "../conversation/conversation-state.ts";
import { usePanel } from "../panel/panel-context.ts";

/** The server's limit. */
const MAX_CHARACTERS = 1_000;

/** Asks what was wrong with a reply that the visitor rated as bad. */
export function CommentField({ reply }: { reply: ReplyEntry }): JSX.Element {
  const { chat, messages } = usePanel();
  const [text, setText] = useState("");
  const [isSent, setIsSent] = useState(false);
  if (isSent) return <p class="note">{messages.commentSent}</p>;
  return (
    <form
      class="comment"
      onSubmit={async (event) => {
        event.preventDefault();
        if (text.trim()) setIsSent(await chat.rate(reply, "down", text.trim()));
      }}
    >
      <input
        dir="auto"
        value={text}
        maxLength={MAX_CHARACTERS}
        placeholder={messages.commentLabel}
        aria-label={messages.commentLabel}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="quiet" disabled={text.trim() === ""}>
        {messages.send}
      </button>
    </form>
  );
}
