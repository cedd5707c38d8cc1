import type { Request } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Messages } from "../locales/en.ts";
import type { UserEntry } from "./conversation-state.ts";

/** What every part of the conversation uses. */
export type ConversationDeps = {
  core: WidgetCore;
  request: Request;
  messages: Messages;
  /** Puts a message that cannot be part of its conversation back into the field. */
  giveBack?: (message: UserEntry) => void;
};
