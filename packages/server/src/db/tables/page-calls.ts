import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

export type PageTables = { clientToolCalls: ClientToolCallRow };

/** A call of a tool that runs in the visitor's page. */
type ClientToolCallRow = {
  messageId: string;
  toolUseId: string;
  conversationId: string;
  toolId: string;
  /** id of the page that runs it, chosen by the page */
  claimedBy: string | null;
  /** the result until the reply has read it */
  outcome: Json | null;
  /** identifies the result, so that a repeated one is recognized; null while the call is open */
  digest: string | null;
  /** the session of the turn that led to the call */
  sessionId: string | null;
  createdAt: Instant;
};

/** Columns of an agent that are optional on insert. */
export type PageColumns = {
  /** the query parameters of a page that are stored */
  pageQuery: Generated<Json>;
  /** 1 offers follow-up questions after each reply */
  followUps: Generated<Flag>;
};
