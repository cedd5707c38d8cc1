import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "../../data/api.ts";
import { endpointQuery, queryClient, refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import type { ComposerMode } from "./composer-text.ts";

/** What a member sends: a text and the ids of uploads. */
export type Sent = { text: string; attachments: string[] };

/**
 * Sends a message to the visitor, or stores a note. Sending the same text again after a lost connection uses the same
 * key, so that the visitor does not receive it twice.
 */
export function useSend(conversationId: string, mode: ComposerMode) {
  const attempt = useRef({ content: "", key: "" });
  const { mutateAsync, isPending } = useMutation({
    mutationFn: async ({ text, attachments }: Sent) => {
      const content = JSON.stringify([text, attachments]);
      if (attempt.current.content !== content) attempt.current = { content, key: createRandomKey() };
      const options = { idempotencyKey: attempt.current.key };
      if (mode === "note") {
        await api.createNote({ id: conversationId, body: { text, attachments } }, options);
        return;
      }
      const message = await api.sendMemberMessage(
        { id: conversationId, body: { content: text, attachments } },
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
    onError: (error) => notify(error.message, { isWrong: true }),
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

/** 128 random bits. `crypto.randomUUID` is not available on pages served over plain HTTP. */
function createRandomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
