import type { Drafts } from "./agents/editor.ts";
import type { AgentService } from "./agents/service.ts";
import { createAgentTrash } from "./agents/trash.ts";
import type { ConversationLog } from "./conversations/log/log.ts";
import type { ConversationService } from "./conversations/service.ts";
import { createConversationTrash } from "./conversations/trash.ts";
import type { Checkpoint } from "./db/sqlite/checkpoint.ts";
import type { Deps } from "./deps.ts";
import type { createDocuments } from "./documents/documents.ts";
import type { App } from "./http/app.ts";
import type { ToolService } from "./tools/service.ts";
import { createToolTrash } from "./tools/tool-trash.ts";
import { trashRoutes } from "./trash/routes.ts";
import { createTrashService } from "./trash/service.ts";
import { createTrashPurge } from "./trash-purge.ts";
import type { TriggerService } from "./triggers/service.ts";
import { createTriggerTrash } from "./triggers/trigger-trash.ts";
import { createConversationDeletion } from "./visitors/delete-conversation.ts";
import type { VisitorService } from "./visitors/service.ts";

type Kinds = {
  agents: AgentService;
  drafts: Drafts;
  tools: ToolService;
  triggers: TriggerService;
  documents: ReturnType<typeof createDocuments>;
  conversations: ConversationService;
  visitors: VisitorService;
};

type Parts = {
  conversationLog: ConversationLog;
  checkpoint: Checkpoint;
  listings: { forget(agentId: string): void };
  replies: { abort(of: { agentId: string }): void };
  /** deletes the content of a hidden agent */
  deleteContent(agentId: string): Promise<void>;
};

export type Trash = ReturnType<typeof addTrash>;

/** Creates the trash of each resource and what purges all of them, and registers the routes that list and empty it. */
export function addTrash(app: App, deps: Deps, { kinds, ...parts }: Parts & { kinds: Kinds }) {
  const { agents, drafts, tools, triggers, documents, conversations, visitors } = kinds;
  const { conversationLog: log, checkpoint, listings, replies, deleteContent } = parts;
  const deletion = createConversationDeletion(deps, { conversations, visitors, log, checkpoint });
  const onChange = listings.forget;
  const purge = createTrashPurge(deps, {
    agent: ({ id }) => deleteContent(id),
    conversation: deletion.purge,
    document: ({ organizationId, agentId, id }) => documents.parts.writer.delete(organizationId, [{ id, agentId }]),
  });
  trashRoutes(app, createTrashService(deps, purge));
  return {
    deletion,
    agents: createAgentTrash(deps, {
      agents,
      drafts,
      onChange(agentId) {
        onChange(agentId);
        // Aborting the replies of an agent that has just come back is harmless: it had none while it was hidden.
        replies.abort({ agentId });
      },
    }),
    tools: createToolTrash(deps, { tools, drafts, onChange }),
    triggers: createTriggerTrash(deps, { triggers, drafts, onChange }),
    conversations: createConversationTrash(deps, { conversations, log, deleteConversation: deletion.delete }),
    purge,
  };
}
