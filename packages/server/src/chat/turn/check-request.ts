import type { ChatRequest } from "@foyer/contract";
import { checkAll } from "../../errors.ts";
import type { PartialBody } from "../../http/body-rules.ts";
import { checkPageContext } from "./message-page.ts";
import { checkMessages, checkMetadata } from "./new-messages.ts";

/**
 * Checks what the schema of the body cannot express. Which messages are new depends on `conversationId` and
 * `regenerate`, so the messages are not checked when the schema has rejected either of them.
 * @throws 400 with the path of a problem in each part
 */
export function checkChatRequest({ body, refused }: PartialBody<ChatRequest>): void {
  const { messages, ...rest } = body;
  checkAll([
    () => {
      if (messages && !refused.has("conversationId") && !refused.has("regenerate")) {
        checkMessages({ ...rest, messages });
      }
    },
    () => checkMetadata(rest),
    () => checkPageContext(rest),
  ]);
}
