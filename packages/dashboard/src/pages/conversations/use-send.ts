import { FoyerError } from "@foyer/sdk";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "../../data/api.ts";
import { endpointQuery, queryClient, refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import type { ComposerMode, ReplyActions } from "./composer-text.ts";

/** What a member sends: a text, the ids of uploads, and what else happens then. A note has no actions. */
export type Sent = { text: string; attachments: string[]; actions: ReplyActions | null };

/**
 * Sends a message to the visitor, or stores a note. Sending the same text again after a lost connection uses the same
 * key, so that the visitor does not receive it twice.
 */
export function useSend(conversationId: string, mode: ComposerMode) {
  const attempt = useRef({ content: "", key: "" });
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async ({ text, attachments, actions }: Sent) => {
      const content = JSON.stringify([text, attachments, actions]);
      if (attempt.current.content !== content) attempt.current = { content, key: createRandomKey() };
      const options = { idempotencyKey: attempt.current.key };
      if (mode === "note") {
        await api.createNote({ id: conversationId, body: { text, attachments } }, options);
        return;
      }
      const message = await api.sendMemberMessage(
        { id: conversationId, body: { content: text, attachments, actions } },
        options,
      );
      // Shown immediately. The refetch below brings all other changes.
      queryClient.setQueryData(endpointQuery("getConversation", { id: conversationId }).queryKey, (known) =>
        known && !known.messages.some(({ id }) => id === message.id)
          ? { ...known, messages: [...known.messages, message] }
          : known,
      );
    },
    onSuccess: () => {
      attempt.current = { content: "", key: "" };
    },
    onError: (error) => notify(describeRefusal(error), { isWrong: true }),
    onSettled: () => refresh(mode === "note" ? "listNotes" : "getConversation", "listConversations"),
  });
  /** @returns whether it was sent; otherwise the reason is a toast */
  const send = (sent: Sent) =>
    mutateAsync(sent).then(
      () => true,
      () => false,
    );
  return { send, isSending: isPending };
}

/** Says which action cannot run, because the names of the API's fields mean nothing to the member. */
function describeRefusal(error: Error): string {
  const path =
    error instanceof FoyerError ? (error.details.find(({ path }) => path.startsWith("actions."))?.path ?? "") : "";
  if (path === "") return error.message;
  const missing = path.includes("tagIds") ? "A tag" : path.endsWith("userId") ? "The member" : "The team";
  return `Not sent. ${missing} of the canned reply's actions no longer exists. Remove the actions, or edit the canned reply.`;
}

/** 128 random bits. `crypto.randomUUID` is not available on pages served over plain HTTP. */
function createRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
