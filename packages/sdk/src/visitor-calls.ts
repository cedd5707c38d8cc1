import type {
  AgentWidget,
  Attachment,
  ChatRequest,
  ClientResult,
  Conversation,
  FormEvent,
  FormSubmit,
  Rating,
  SubmitResult,
  TriggerEvent,
  VisitorForm,
  WidgetTrigger,
} from "@foyer/contract";
import type { ConversationKey } from "./chat-stream.ts";
import type { Request } from "./request.ts";

/** The appearance and greeting of an agent's widget. */
export async function getWidget(request: Request, agentId: string): Promise<AgentWidget> {
  return (await read(request(`/agents/${encodeURIComponent(agentId)}/widget`))).data;
}

/** Whose an upload is: a session that has no conversation yet, or a conversation with its token. */
export type AttachmentOwner =
  | { agentId: string; sessionId: string }
  | { agentId: string; conversation: ConversationKey };

/** Uploads a picture or a file. `name` defaults to that of a `File`. */
export async function attach(
  request: Request,
  file: Blob,
  { name, signal, ...owner }: AttachmentOwner & { name?: string; signal?: AbortSignal },
): Promise<Attachment> {
  const conversation = "conversation" in owner ? owner.conversation : null;
  const query = new URLSearchParams(
    "sessionId" in owner
      ? { agentId: owner.agentId, sessionId: owner.sessionId }
      : { agentId: owner.agentId, conversationId: owner.conversation.id },
  );
  const fileName = name ?? ("name" in file && typeof file.name === "string" ? file.name : "");
  return (
    await read(
      request(`/chat/attachments?${query}`, {
        method: "POST",
        body: file,
        // A header cannot contain every character of a name.
        headers: { "x-filename": encodeURIComponent(fileName.replace(/\p{Surrogate}/gu, "\ufffd")) },
        token: conversation?.token,
        signal,
      }),
    )
  ).data;
}

/** An agent's enabled triggers, in the order in which they run. */
export function getTriggers(request: Request, agentId: string): Promise<WidgetTrigger[]> {
  return read(request(`/triggers/widget/${encodeURIComponent(agentId)}`));
}

/** Sent even if the page is being closed. */
export async function recordTriggerEvent(request: Request, event: TriggerEvent): Promise<void> {
  await post(request, "/triggers/event", event);
}

/** The form of a tool, by its id or its name. */
export function getForm(request: Request, toolIdOrName: string, agentId: string): Promise<VisitorForm> {
  return read(request(`/triggers/form/${encodeURIComponent(toolIdOrName)}?agentId=${encodeURIComponent(agentId)}`));
}

/**
 * @param token the token of the conversation that the body names; without it, the agent does not use the submission
 * @param idempotencyKey 1 to 255 visible ASCII characters; repeating the call with the same key creates no second
 * submission
 */
export function submitForm(
  request: Request,
  body: FormSubmit,
  { idempotencyKey, token, signal }: { idempotencyKey?: string; token?: string | undefined; signal?: AbortSignal } = {},
): Promise<SubmitResult> {
  const headers = idempotencyKey ? { "idempotency-key": idempotencyKey } : {};
  return read(request("/form-submissions/submit", { method: "POST", body, headers, token, signal }));
}

/** Reports the outcome of the page's own form handler. Sent even if the page is being closed. */
export async function reportClientResult(request: Request, result: ClientResult): Promise<void> {
  await post(request, "/form-submissions/client-result", result);
}

/** Sent even if the page is being closed. */
export async function recordFormEvent(request: Request, event: FormEvent): Promise<void> {
  await post(request, "/form-submissions/event", event);
}

/** Begins a conversation with messages that no model answers, so that a person can be requested. */
export async function beginConversation(
  request: Request,
  body: Omit<ChatRequest, "conversationId" | "regenerate" | "resumable" | "clientTools">,
): Promise<ConversationKey> {
  const { data } = await read(request("/conversations", { method: "POST", body }));
  return { id: data.conversationId, token: data.conversationToken };
}

/** A conversation with all its messages, oldest first. */
export async function getConversation(request: Request, { id, token }: ConversationKey): Promise<Conversation> {
  return (await read(request(`/conversations/${id}`, { token }))).data;
}

/** Deletes the visitor's conversation. With `submissions`, also deletes the forms that were submitted in it. */
export async function deleteConversation(
  request: Request,
  { id, token }: ConversationKey,
  { submissions = false }: { submissions?: boolean } = {},
): Promise<void> {
  await request(`/conversations/${id}${submissions ? "?submissions=true" : ""}`, { method: "DELETE", token });
}

/** `comment` is the reason, of at most 1,000 characters. */
export type MessageRating = { messageId: string; rating: Rating; comment?: string | undefined };

export async function rateMessage(
  request: Request,
  { id, token }: ConversationKey,
  body: MessageRating,
): Promise<void> {
  await request(`/conversations/${id}/feedback`, { method: "POST", token, body });
}

/** Sends a report even if the page is being closed. */
function post(request: Request, path: string, body: unknown) {
  return read(request(path, { method: "POST", body, keepalive: true }));
}

async function read(response: Promise<Response>) {
  return (await response).json();
}
