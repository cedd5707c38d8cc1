import type { ChatEvent, ConversationKey, Request } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import { withQuestion } from "./apply-event.ts";
import type { ChatEntries } from "./chat-entries.ts";

/** Runs the tools of the page that a reply calls. Pages without tools do not load their code. */
export function createReplyTools(
  core: WidgetCore,
  request: Request,
  { patch, editReply }: Pick<ChatEntries, "patch" | "editReply">,
) {
  const { registry, bus } = core;
  return ({ key, abort }: { key: string; abort: AbortController }) => {
    const load = async () => {
      const { createPageTools } = await core.loadTools();
      return createPageTools(request, core, (callId, question) => {
        editReply(key, (reply) => withQuestion(reply, callId, question));
        if (question) patch({ announcement: question.text });
      });
    };
    const start = () => load().catch(() => null);
    let runner = registry.tools.size > 0 ? start() : null;
    const stopListening = bus.on("tool", (name) => void runner?.then((tools) => tools?.added(name)));
    abort.signal.addEventListener("abort", () => void runner?.then((tools) => tools?.stop()));
    return {
      see(event: ChatEvent, conversation: ConversationKey | null): void {
        // A page that resumes a reply may register its tools later.
        if (event.type === "tool_use_start" && event.executionType === "client") runner ??= start();
        void runner?.then((tools) => tools?.see(event, conversation));
      },
      stopListening,
    };
  };
}
