import type { Deps } from "../../deps.ts";
import { createPushKeys } from "./push-keys.ts";
import { createPushSender } from "./send-push.ts";
import { createNoticeService } from "./service.ts";
import { createNoticeStore } from "./store.ts";

/** How the team hears of visitors who wait for a person: how members and team chats are notified. */
export function createNotices(deps: Deps) {
  const store = createNoticeStore(deps.db);
  const keys = createPushKeys(deps);
  const sendPush = createPushSender(deps, keys);
  return { service: createNoticeService(deps, { store, keys, sendPush }) };
}
