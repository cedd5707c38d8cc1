/** @jsxImportSource preact */
import type { JSX } from "preact";
import type { UserEntry } from "../conversation/conversation-state.ts";
import { usePanel } from "../panel/panel-context.ts";
import { AttachmentPlace } from "./attachment-place.tsx";
import { MessageTime } from "./message-time.tsx";

/** A message of the visitor, as plain text. The time is below the last one of a run. */
export function UserView({ entry, endsRun }: { entry: UserEntry; endsRun: boolean }): JSX.Element {
  const { core, messages } = usePanel();
  return (
    <li class={core.agent.widget.accentMessages ? "user accented" : "user"}>
      <span class="visually-hidden">{`${messages.you}: `}</span>
      <AttachmentPlace message={entry} />
      {entry.text ? (
        <p class="bubble" part="user-message" dir="auto">
          {entry.text}
        </p>
      ) : null}
      {entry.state === "unsent" ? (
        <p class="note">{messages.unsent}</p>
      ) : endsRun ? (
        <MessageTime at={entry.at} />
      ) : null}
    </li>
  );
}
