import { Button, ButtonLink } from "../../components/button.tsx";
import { ListPreview } from "../../components/empty-previews.tsx";
import { EmptyState } from "../../components/states.tsx";
import { serverPath } from "../../data/server-address.ts";
import type { InboxView } from "./inbox-search.ts";
import { ShortcutList } from "./inbox-shortcuts.tsx";

/** The empty state before the first conversation. */
export function NoConversations({ agentId }: { agentId: string }) {
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-6 sm:px-8 sm:py-8">
      <h1 className="mb-6 text-xl">Conversations</h1>
      <EmptyState
        title="The first conversation will appear here"
        preview={<ListPreview hasFaces />}
        action={
          <div className="flex flex-wrap gap-2">
            <ButtonLink variant="main" to="/agents/$agentId/embed" params={{ agentId }}>
              Get the embed code
            </ButtonLink>
            <a
              href={serverPath(`/demo/${agentId}`)}
              target="_blank"
              rel="noopener"
              className="inline-flex min-h-9 items-center rounded-lg border border-line bg-raised px-3 py-1.5 hover:bg-hover pointer-coarse:min-h-11"
            >
              Try it on the demo page
            </a>
          </div>
        }
      >
        <p>
          Add one script tag to your site. Conversations appear here within seconds, with every tool call and every form
          that visitors submit.
        </p>
      </EmptyState>
    </div>
  );
}

export function NoMatches({ onClear }: { onClear: () => void }) {
  return (
    <div className="grid justify-items-start gap-3 px-4 py-6 xl:ps-8">
      <p className="text-soft">No conversations match your search and filters.</p>
      <Button onClick={onClear}>Show all conversations</Button>
    </div>
  );
}

/** Shown instead of the list of a saved view that the member no longer has. */
export function ViewGone({ onClear }: { onClear: () => void }) {
  return (
    <div className="grid justify-items-start gap-3 px-4 py-6 xl:ps-8">
      <p className="text-soft">This view was deleted, or is no longer shared with you.</p>
      <Button onClick={onClear}>Show all conversations</Button>
    </div>
  );
}

const nobody: Record<InboxView, { title: string; text: string }> = {
  unread: {
    title: "No unread conversations",
    text: "Conversations with messages that no member of your team has opened appear here.",
  },
  open: { title: "No open conversations", text: "Conversations that are neither resolved nor snoozed appear here." },
  snoozed: {
    title: "No snoozed conversations",
    text: "Conversations that you snooze stay here until their time comes or the visitor writes.",
  },
  resolved: {
    title: "No resolved conversations",
    text: "Conversations appear here when a member resolves them, or half an hour after the agent's last reply.",
  },
  waiting: { title: "Nobody is waiting", text: "Visitors who want to talk to a person appear here immediately." },
  mine: {
    title: "You have no conversations",
    text: "Take one over, and it stays here until you return or resolve it.",
  },
  human: {
    title: "No conversations are with your team",
    text: "Conversations that you or your colleagues have taken over appear here.",
  },
};

/** The empty state of a view. */
export function NobodyNeedsYou({ view }: { view: InboxView }) {
  return (
    <div className="grid gap-1 px-4 py-6 xl:ps-8">
      <p className="font-medium">{nobody[view].title}</p>
      <p className="text-soft">{nobody[view].text}</p>
    </div>
  );
}

/** Shown in place of an open conversation that a colleague has deleted. */
export function ConversationDeleted() {
  return (
    <div role="alert" className="grid justify-items-start gap-3 border-s-2 border-edge px-6 py-4">
      <h2 className="text-lg">This conversation was deleted</h2>
      <p className="max-w-[60ch] text-soft">
        The visitor or a member of your team deleted it while you had it open, or its retention period ended.
      </p>
    </div>
  );
}

/** Shown next to the list while no conversation is open. */
export function NoneSelected({ hasKeys }: { hasKeys: boolean }) {
  return (
    <div className="grid h-full place-content-center gap-4 p-6 text-soft">
      <p>Select a conversation to read it here.</p>
      {hasKeys && <ShortcutList />}
    </div>
  );
}
