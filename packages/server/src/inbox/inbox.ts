import type { AgentService } from "../agents/service.ts";
import type { ChatService } from "../chat/service.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import { createHandoffCounters } from "./counters.ts";
import { createGiving } from "./give.ts";
import type { HandoffRecorders } from "./handoff-changes.ts";
import { createLiveStreams } from "./live/live-streams.ts";
import { createHandoffRequests } from "./requests.ts";
import { createInboxService } from "./service.ts";

export type Inbox = ReturnType<typeof createInbox>;

type Services = {
  agents: AgentService;
  conversations: ConversationService;
  handOver: ChatService["handOver"];
  handoffs: HandoffRecorders;
};

/** Everything about handing conversations over to people. */
export function createInbox(
  deps: Pick<Deps, "db" | "databaseKind" | "config" | "log">,
  { agents, conversations, handOver, handoffs }: Services,
) {
  const { record } = handoffs;
  const counters = createHandoffCounters();
  const requests = createHandoffRequests({ record, counters });
  const give = createGiving(deps, { handOver, counters, record });
  const service = createInboxService(deps, { agents, conversations, give, requests, counters, record });
  const live = createLiveStreams(deps, conversations);
  handoffs.onHandoff(live.recordHandoff);
  return { requests, service, live };
}
