import type { TrashKind } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The table of what is in the trash, see trash/entries.ts. */
export type TrashTables = { trash: Omit<TrashRow, "isPurging"> & { isPurging: Generated<Flag> } };

export type TrashRow = {
  /** the id of the agent, conversation, document, tool or trigger */
  id: string;
  organizationId: string;
  /** the agent that it belongs to; its own id for an agent */
  agentId: string;
  kind: TrashKind;
  /** equal to the id for a conversation or document, whose rows stay where they are; otherwise null */
  conversationId: string | null;
  documentId: string | null;
  /** null for conversations and documents, whose title is in their row */
  name: string | null;
  /** what is needed to restore it besides its own row */
  content: Json | null;
  /** the name of the member or API key */
  trashedBy: string | null;
  trashedAt: Instant;
  /** 1 once its permanent deletion has begun, after which it cannot be restored */
  isPurging: Flag;
};

/** For conversations and documents: when they were moved to the trash. */
export type TrashColumns = { trashedAt: Generated<Instant | null> };
