import { createConversationCounters } from "./conversations/analytics/counters.ts";
import { attachUploads } from "./conversations/attach-uploads.ts";
import type { AttachmentService } from "./conversations/attachments/service.ts";
import { createAttachmentLinks } from "./conversations/attachments/signed-link.ts";
import { createDocumentAnswers } from "./conversations/document-answers.ts";
import type { ChangeListener } from "./conversations/log/change.ts";
import { type ConversationLog, createConversationLog } from "./conversations/log/log.ts";
import type { createDocuments } from "./documents/documents.ts";
import { createConversationEvents } from "./events/conversation-events.ts";
import type { RecordEvents } from "./events/record-events.ts";
import type { AppDeps } from "./fastify.ts";
import { recordTimes } from "./inbox/analytics/record-times.ts";
import { requestAfterFailedReplies, requestAfterFailures, requestAfterRatings } from "./inbox/handoff-rules.ts";
import { createBudgetNotices } from "./inbox/notices/budget-notices.ts";
import type { NoticeRecorder } from "./inbox/notices/record-notices.ts";
import { createTeamChatPosts } from "./inbox/team-chats/record-changes.ts";
import { createTargetRecorder } from "./inbox/teams/record-targets.ts";
import type { Outbox } from "./outbox/outbox.ts";

type LogParts = {
  attachments: AttachmentService;
  /** the parts that follow changes with a listener of their own */
  listeners: Record<
    "handoffCounters" | "chatBytes" | "noticeRecorder" | "live" | "replies",
    { listener: ChangeListener }
  > & { noticeRecorder: NoticeRecorder };
  outbox: Outbox;
  recorder: ReturnType<typeof createDocuments>["recorder"];
  recordEvents: RecordEvents;
};

/**
 * Creates the log with what follows from a change of a conversation, in this order. An event about what a rule does with
 * a reply comes before the event about the reply, and an event about a rating before the one about what a rule does with
 * it.
 */
export function createLog(
  deps: AppDeps,
  { attachments, listeners, outbox, recorder, recordEvents }: LogParts,
): ConversationLog {
  return createConversationLog(deps, [
    attachUploads(attachments),
    createDocumentAnswers(recorder),
    createConversationCounters(deps.db),
    listeners.handoffCounters.listener,
    listeners.chatBytes.listener,
    requestAfterFailures,
    requestAfterFailedReplies,
    createTeamChatPosts(deps, outbox),
    createConversationEvents(recordEvents, createAttachmentLinks(deps)),
    createTargetRecorder(),
    recordTimes,
    listeners.noticeRecorder.listener,
    createBudgetNotices(deps, listeners.noticeRecorder.enqueue),
    listeners.live.listener,
    listeners.replies.listener,
    requestAfterRatings,
  ]);
}
