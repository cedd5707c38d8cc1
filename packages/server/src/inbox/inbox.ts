import type { AgentService } from "../agents/service.ts";
import type { ChatService } from "../chat/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import { createAssignConversation } from "./give.ts";
import type { Handoffs } from "./handoffs.ts";
import { createLiveStreams } from "./live/live-streams.ts";
import { createInboxService } from "./service.ts";

export type Inbox = ReturnType<typeof createInbox>;

type Services = {
  agents: AgentService;
  conversations: ConversationService;
  handOver: ChatService["handOver"];
  handoffs: Handoffs;
};

/** Creates the services with which members take over, answer and follow conversations. */
export function createInbox(
  deps: Pick<Deps, "db" | "databaseKind" | "config" | "log">,
  { agents, conversations, handOver, handoffs }: Services,
) {
  const { record, counters, requests } = handoffs;
  const assignConversation = createAssignConversation(deps, { handOver, counters, record });
  const service = createInboxService(deps, { agents, conversations, assignConversation, requests, counters, record });
  const live = createLiveStreams(deps, conversations);
  handoffs.onHandoff(live.recordHandoff);
  return { service, live };
}
