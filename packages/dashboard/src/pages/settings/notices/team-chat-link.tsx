import type { NoticeChannel } from "@foyer/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Status } from "../../../components/status.tsx";
import { endpointQuery, refresh, useEndpointMutation } from "../../../data/queries.ts";

/** Whether a channel's bot is connected, and what prevents it. */
export function TeamChatState({ channel: { teamChat, isEnabled } }: { channel: NoticeChannel }) {
  if (!teamChat) return null;
  const { state, problem, botName, chatTitle } = teamChat;
  return (
    <>
      <div className="truncate text-sm text-soft">{[chatTitle, botName].filter(Boolean).join(" · ")}</div>
      {isEnabled && state === "failed" && <Status tone="wrong">{problem}</Status>}
      {isEnabled && state === "connecting" && <Status>{problem ?? "Connecting…"}</Status>}
    </>
  );
}

/** Links the signed-in member to their account in the chat, or removes the link. */
export function TeamChatLink({ channel: { id, name, teamChat } }: { channel: NoticeChannel }) {
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const [command, setCommand] = useState<string | null>(null);
  const create = useEndpointMutation("createTeamChatCode");
  const unlink = useEndpointMutation("deleteTeamChatLink", {
    changes: ["listNoticeChannels"],
    done: "Account unlinked",
  });
  if (!teamChat) return null;
  const isLinked = teamChat.members.some(({ userId }) => userId === session.user.id);
  const close = () => {
    setCommand(null);
    void refresh("listNoticeChannels");
  };
  return (
    <>
      {isLinked ? (
        <Button
          variant="plain"
          aria-label={`Unlink my account in ${name}`}
          isBusy={unlink.isPending}
          onClick={() => unlink.mutate({ id })}
        >
          Unlink my account
        </Button>
      ) : (
        <Button
          variant="plain"
          aria-label={`Link my account in ${name}`}
          isBusy={create.isPending}
          onClick={() => create.mutate({ id }, { onSuccess: (created) => setCommand(created.command) })}
        >
          Link my account
        </Button>
      )}
      <Dialog title="Link your account" isOpen={command !== null} onClose={close}>
        <p className="mb-4">
          Send this in {teamChat.chatTitle ?? name}. It works once, for ten minutes. Your replies in conversations there
          go to visitors afterwards, under your name.
        </p>
        <CopyField label="the command" text={command ?? ""} />
      </Dialog>
    </>
  );
}
