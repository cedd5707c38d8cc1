import type { ConversationTag } from "@foyer/contract";
import { X } from "lucide-react";
import { type RefObject, useState } from "react";
import { refresh, useEndpointMutation } from "../../data/queries.ts";
import type { ConversationDetail } from "./split-reply.ts";
import { describeTagChange } from "./tag-choices.ts";

const none: ConversationTag[] = [];

/** The tags of the open conversation. Each can be removed. */
export function ConversationTags({
  conversation: { id, tags = none },
  addTag,
}: {
  conversation: ConversationDetail;
  /** The button that adds a tag. It gets the focus when the last tag is removed. */
  addTag: RefObject<HTMLButtonElement | null>;
}) {
  const { mutateAsync } = useEndpointMutation("removeConversationTag", {
    changes: ["getConversation", "listConversations"],
  });
  const [removing, setRemoving] = useState<readonly string[]>([]);
  const remove = (tag: ConversationTag, button: HTMLElement) => {
    if (removing.includes(tag.id)) return;
    const others = tags.filter((other) => other === tag || !removing.includes(other.id));
    const at = others.indexOf(tag);
    const neighbor = others[at + 1] ?? others[at - 1];
    // The button is removed together with its tag, which would lose the focus.
    const next = neighbor && button.closest("ul")?.querySelector<HTMLElement>(`[data-tag="${neighbor.id}"]`);
    (next ?? addTag.current)?.focus();
    setRemoving((ids) => [...ids, tag.id]);
    mutateAsync({ id, tagId: tag.id })
      // The mutation has shown the error. A colleague may have removed the tag, so the conversation is refetched.
      .catch(() => refresh("getConversation", "listConversations"))
      .finally(() => setRemoving((ids) => ids.filter((other) => other !== tag.id)));
  };
  return (
    <>
      <p role="status" className="sr-only">
        {useAnnouncement(tags)}
      </p>
      {tags.length > 0 && (
        <ul aria-label="Tags" className="-mt-1 flex max-h-29 flex-wrap gap-1 overflow-y-auto pb-2 max-sm:ps-2">
          {tags.map((tag) => (
            <li
              key={tag.id}
              aria-busy={removing.includes(tag.id) || undefined}
              className="inline-flex max-w-full items-center rounded-md border border-line bg-raised ps-2 text-sm aria-busy:opacity-60"
            >
              <span className="truncate">{tag.name}</span>
              <button
                type="button"
                data-tag={tag.id}
                aria-label={`Remove the tag ${tag.name}`}
                title="Remove"
                onClick={(event) => remove(tag, event.currentTarget)}
                className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft -outline-offset-2 hover:bg-hover hover:text-ink pointer-coarse:size-11"
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The latest change of the tags, by this member or another, for screen readers. */
function useAnnouncement(tags: readonly ConversationTag[]): string {
  const [known, setKnown] = useState({ tags, text: "" });
  if (known.tags !== tags) setKnown({ tags, text: describeTagChange(known.tags, tags) });
  return known.text;
}
