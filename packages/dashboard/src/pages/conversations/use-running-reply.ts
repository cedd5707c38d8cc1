import { type ChatEvent, createReplyState, foldReply, resumeChat } from "@foyer/sdk";
import { useEffect } from "react";
import { request } from "../../data/api.ts";
import { endpointQuery, queryClient } from "../../data/queries.ts";
import { type ConversationDetail, isRunning } from "./split-reply.ts";

/**
 * Words that arrive within this time are shown together, in milliseconds. A long conversation takes a while to draw.
 */
const GATHER_MS = 100;
/** How long to wait before following a reply again after its stream ended early, in milliseconds. */
const RETRY_MS = 5_000;

/** Shows the agent's reply while it streams in, and the stored one when it has ended. */
export function useRunningReply(conversation: ConversationDetail | undefined): void {
  const last = conversation?.messages.at(-1);
  const id = conversation?.id;
  const replyId = last && isRunning(last) ? last.id : undefined;
  useEffect(() => {
    if (id === undefined || replyId === undefined) return;
    const abort = new AbortController();
    void follow({ id, replyId }, abort.signal);
    return () => abort.abort();
  }, [id, replyId]);
}

type Running = { id: string; replyId: string };

/**
 * Follows the reply's stream until the signal is aborted, which happens once the stored reply has been fetched. After a
 * crash of the server process, the reply is stored some time after the stream broke, so the loop fetches it again.
 */
async function follow({ id, replyId }: Running, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const words = createWriter({ id, replyId }, signal);
    try {
      // The member's session authorizes the request, so no conversation token is needed.
      for await (const event of resumeChat(request, { id, token: "" }, { signal })) {
        if (event.type === "message_start" && event.messageId !== replyId) break;
        words.add(event);
        // The call's input and result come from the stored message. Its stored text is older than the streamed text, so
        // show that again.
        if (event.type === "tool_use_start" || event.type === "tool_result") await refetch(id).then(words.show);
      }
    } catch {
      // Either the reply has ended or the server is unreachable. The refetch below shows which.
    }
    if (signal.aborted) return;
    await refetch(id);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Collects the words of a reply from its events, and shows them. */
function createWriter({ id, replyId }: Running, signal: AbortSignal) {
  let reply = createReplyState();
  let isWaiting = false;
  const show = () => {
    isWaiting = false;
    if (signal.aborted) return;
    const content = reply.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    queryClient.setQueryData(endpointQuery("getConversation", { id }).queryKey, (known) => {
      const last = known?.messages.at(-1);
      // A newer version of the conversation may have been fetched in the meantime.
      if (!known || last?.id !== replyId || !isRunning(last) || last.content.length >= content.length) return known;
      return { ...known, messages: [...known.messages.slice(0, -1), { ...last, content }] };
    });
  };
  return {
    show,
    add(event: ChatEvent): void {
      reply = foldReply(reply, event);
      if (event.type !== "content_block_delta" || isWaiting) return;
      isWaiting = true;
      setTimeout(show, GATHER_MS);
    },
  };
}

const refetch = (id: string) => queryClient.invalidateQueries({ queryKey: ["getConversation", { id }] });
