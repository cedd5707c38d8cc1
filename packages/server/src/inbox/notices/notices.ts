import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { Deps } from "../../deps.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import type { TeamChats } from "../team-chats/team-chats.ts";
import { createNoticeHandler } from "./deliver-notice.ts";
import { createHandoffTimers } from "./handoff-timers.ts";
import { createPushKeys } from "./push-keys.ts";
import type { NoticeRecorder } from "./record-notices.ts";
import { createPushSender } from "./send-push.ts";
import { createNoticeService } from "./service.ts";
import { createNoticeStore } from "./store.ts";

type Parts = {
  outbox: Outbox;
  teamChats: TeamChats;
  attachments: AttachmentService;
  recorder: NoticeRecorder;
} & Pick<Parameters<typeof createHandoffTimers>[1], "conversationLog" | "isPresent">;

/** Notifies the team of waiting visitors, and visitors of answers that they have not seen. */
export function createNotices(
  deps: Deps,
  { outbox, teamChats, attachments, recorder, conversationLog, isPresent }: Parts,
) {
  const store = createNoticeStore(deps);
  const keys = createPushKeys(deps);
  const sendPush = createPushSender(deps, keys);
  outbox.register("notice", createNoticeHandler(deps, { store, sendPush, outbox, attachments }));
  return {
    service: createNoticeService(deps, { store, keys, sendPush, teamChats }),
    timers: createHandoffTimers(deps, { recorder, conversationLog, isPresent }),
  };
}
