import type { Request } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Messages } from "../locales/en.ts";

/** What every part of the conversation uses. */
export type ConversationDeps = { core: WidgetCore; request: Request; messages: Messages };
