import type { ConversationTag } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { FindList } from "../../components/find-list.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { tagChoices } from "./tag-choices.ts";

/** Adds a tag of the organization to the conversation, or creates one by typing its name. */
export function AddTagDialog({
  tags: own,
  onAdd,
  onClose,
}: {
  /** The tags that the conversation has. */
  tags: readonly ConversationTag[];
  onAdd: (name: string) => void;
  onClose: () => void;
}) {
  const { data: all, error } = useQuery(endpointQuery("listTags"));
  const [text, setText] = useState("");
  const { items, status } = tagChoices({ all, own, text });
  return (
    <Dialog title="Add tag" isOpen onClose={onClose}>
      <FindList
        label="Find or create a tag"
        listLabel="Tags"
        placeholder="Find or create a tag"
        text={text}
        items={items}
        status={error && items.length === 0 ? "The tags failed to load. You can still type the name of one." : status}
        onText={setText}
        onChoose={({ name }) => {
          onClose();
          onAdd(name);
        }}
      >
        {({ name, isNew }) => <span className="truncate">{isNew ? `Create “${name}”` : name}</span>}
      </FindList>
    </Dialog>
  );
}
