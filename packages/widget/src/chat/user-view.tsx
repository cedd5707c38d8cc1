/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import type { UserEntry } from "./conversation-state.ts";
import { MessageTime } from "./message-time.tsx";

/** A message of the visitor, as plain text. */
export function UserView({ entry }: { entry: UserEntry }): JSX.Element {
  const { messages } = usePanel();
  return (
    <li class="user">
      <span class="visually-hidden">{`${messages.you}: `}</span>
      <p class="bubble" part="user-message" dir="auto">
        {entry.text}
      </p>
      {entry.state === "unsent" ? <p class="note">{messages.unsent}</p> : <MessageTime at={entry.at} />}
    </li>
  );
}
