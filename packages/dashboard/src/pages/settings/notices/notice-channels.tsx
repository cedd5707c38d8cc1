import type { NoticeChannel } from "@foyer/contract";
import { minimumRole, type Role } from "@foyer/contract/rules/roles";
import { parseUrl } from "@foyer/contract/rules/safe-address";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Section } from "../../../components/page.tsx";
import { EmptyState } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { canOpen } from "../../../shell/destinations.tsx";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { NoticeChannelDialog } from "./notice-channel-dialog.tsx";
import { TeamChatLink, TeamChatState } from "./team-chat-link.tsx";

/** The team chats that are notified about every waiting visitor. Admins change them. */
export function NoticeChannels({ role }: { role: Role | null }) {
  const { data: channels } = useSuspenseQuery(endpointQuery("listNoticeChannels"));
  const [editing, setEditing] = useState<NoticeChannel | "new" | null>(null);
  const [deleting, setDeleting] = useState<NoticeChannel | null>(null);
  const canChange = canOpen(role, { minimumRole: minimumRole("POST", "/notice-channels") });
  const create = canChange && (
    <Button variant="main" onClick={() => setEditing("new")}>
      Create channel
    </Button>
  );
  return (
    <Section
      title="Team chat"
      description="Channels in Slack, Teams, Discord and others that are notified about every waiting visitor."
      actions={channels.length > 0 && create}
    >
      {channels.length === 0 ? (
        <EmptyState
          title="No channels yet"
          action={create}
          preview={<TablePreview columns={["Channel", "Last notification"]} />}
        >
          A message with a link to the conversation appears in the channel.{" "}
          {!canChange && "Admins and owners can create channels."}
        </EmptyState>
      ) : (
        <ChannelTable channels={channels} canChange={canChange} onEdit={setEditing} onDelete={setDeleting} />
      )}
      {editing && <NoticeChannelDialog channel={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteDialog channel={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

function ChannelTable({
  channels,
  canChange,
  onEdit,
  onDelete,
}: {
  channels: NoticeChannel[];
  canChange: boolean;
  onEdit: (channel: NoticeChannel) => void;
  onDelete: (channel: NoticeChannel) => void;
}) {
  return (
    <Table
      label="Notification channels"
      head={
        <>
          <Th>Channel</Th>
          <Th>Last notification</Th>
          {canChange && <ActionsHeader />}
        </>
      }
    >
      {channels.map((channel) => (
        <Tr key={channel.id}>
          <Td className="max-w-72 min-w-32">
            <div className="font-medium wrap-anywhere">{channel.name}</div>
            <div className="truncate text-sm text-soft">{channel.url && parseUrl(channel.url)?.host}</div>
            <TeamChatState channel={channel} />
            <TeamChatLink channel={channel} />
          </Td>
          <Td>
            <LastNotice channel={channel} />
          </Td>
          {canChange && (
            <ActionsCell>
              <TestButton channel={channel} />
              <Button variant="plain" aria-label={`Edit ${channel.name}`} onClick={() => onEdit(channel)}>
                Edit
              </Button>
              <Button
                variant="plain"
                className="text-soft"
                aria-label={`Delete ${channel.name}`}
                onClick={() => onDelete(channel)}
              >
                Delete
              </Button>
            </ActionsCell>
          )}
        </Tr>
      ))}
    </Table>
  );
}

function LastNotice({ channel: { isEnabled, lastError, lastSentAt } }: { channel: NoticeChannel }) {
  if (!isEnabled) return <Status>Off</Status>;
  if (lastSentAt === null) return <span className="text-soft">Nothing sent yet</span>;
  return (
    <Status tone={lastError === null ? "fine" : "wrong"}>
      {lastError ?? "Delivered"}{" "}
      <span className="text-soft">
        <Time at={lastSentAt} />
      </span>
    </Status>
  );
}

/** A receiver that responds with this, such as a workflow of Microsoft Teams, has not processed the message yet. */
const HTTP_ACCEPTED = 202;
const SHOWN_CHARACTERS = 200;

function TestButton({ channel: { id, name } }: { channel: NoticeChannel }) {
  const test = useEndpointMutation("testNoticeChannel");
  const send = () =>
    test.mutate(
      { id },
      {
        onSuccess: ({ isDelivered, error, detail, status, response }) => {
          const answer = response ? ` The response: ${response.slice(0, SHOWN_CHARACTERS)}` : "";
          if (!isDelivered) {
            notify(`${name} did not accept the notification: ${detail ?? error}${answer}`, { isWrong: true });
          } else if (status === HTTP_ACCEPTED) {
            notify(`${name} accepted the notification (HTTP 202). Check that it appears in the channel.`);
          } else notify(`Test notification sent to ${name}`);
        },
      },
    );
  return (
    <Button variant="plain" aria-label={`Send test notification to ${name}`} isBusy={test.isPending} onClick={send}>
      Send test notification
    </Button>
  );
}

function DeleteDialog({ channel: { id, name }, onClose }: { channel: NoticeChannel; onClose: () => void }) {
  const remove = useEndpointMutation("deleteNoticeChannel", {
    changes: ["listNoticeChannels"],
    done: `${name} deleted`,
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id }, { onSuccess: onClose })}
    >
      <p>This channel will no longer receive notifications.</p>
    </ConfirmDialog>
  );
}
