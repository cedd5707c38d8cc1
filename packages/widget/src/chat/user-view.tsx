/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import type { UserEntry } from "./conversation-state.ts";
import { MessageTime } from "./message-time.tsx";

/** What the visitor said, as they wrote it. */
export function UserView({ entry }: { entry: UserEntry }): JSX.Element {
  const { words } = usePanel();
  return (
    <li class="user">
      <span class="visually-hidden">{`${words.you}: `}</span>
      <p class="bubble" part="user-message" dir="auto">
        {entry.text}
      </p>
      {entry.state === "unsent" ? <p class="note">{words.unsent}</p> : <MessageTime at={entry.at} />}
    </li>
  );
}
