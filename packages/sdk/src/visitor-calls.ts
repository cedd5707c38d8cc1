import type { ChatRequest, Conversation, Rating, VisitorForm, WidgetTrigger } from "@foyer/contract";
import type { ConversationKey } from "./chat-stream.ts";
import type { Request } from "./request.ts";

/** An agent's enabled triggers, in the order in which they run. */
export function getTriggers(request: Request, agentId: string): Promise<WidgetTrigger[]> {
  return read(request(`/triggers/widget/${encodeURIComponent(agentId)}`));
}

/** The form of a tool, by its id or its name. */
export function getForm(request: Request, toolIdOrName: string, agentId: string): Promise<VisitorForm> {
  return read(request(`/triggers/form/${encodeURIComponent(toolIdOrName)}?agentId=${encodeURIComponent(agentId)}`));
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

/** Reads the JSON of a response. */
export async function read(response: Promise<Response>) {
  return (await response).json();
}
