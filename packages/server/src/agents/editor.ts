import type { VersionAuthor } from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import type { Transaction } from "kysely";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { LiveVersionColumns } from "../db/tables/versions.ts";
import type { AgentRow, Tables } from "../db/tables.ts";

/** Who edits an agent, its tools or its triggers, and the state that they have seen: the `If-Match` of their request. */
export type Editor = { by: VersionAuthor; ifMatch: string | undefined };

/**
 * What is edited. `publishes`: the draft that results is published. `note`: what the editor says about the version; it
 * is then a version of its own.
 */
export type Edited = {
  organizationId: string;
  agentId: string;
  editor: Editor;
  publishes?: boolean;
  note?: string | null;
};

/** Records the versions of agents, see versions/drafts.ts. */
export type Drafts = {
  /**
   * Runs a change of an agent, its tools or its triggers in a transaction, and records the version that results.
   * Changes of one agent run one after another. In `trx`, the tools and triggers are those that members edit; in
   * `live`, those that visitors get. @throws 412 when the agent has changed since the editor read it
   */
  edit<T>(edited: Edited, change: (trx: Transaction<Tables>, live: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** The same as `edit` in a transaction of the caller, see db/transaction.ts. */
  editIn<T>(
    trx: Transaction<Tables>,
    edited: Edited,
    change: (trx: Transaction<Tables>, live: Transaction<Tables>) => Promise<T>,
  ): Promise<T>;
  /** Makes the draft the live version. @returns that version, and whether it is new. @throws 412 as `edit` */
  publish(edited: Edited): Promise<{ version: number; isNew: boolean }>;
  /** Makes the draft equal to what visitors get. @throws 412 as `edit` */
  discard(edited: Pick<Edited, "organizationId" | "agentId" | "editor">): Promise<void>;
  /** Records the first version of an agent that the transaction has created. `by` is null for the server itself. */
  begin(trx: Transaction<Tables>, agent: AgentRow, by: VersionAuthor | null): Promise<LiveVersionColumns>;
  /** Records the state of an agent from before there were versions as its first one. */
  beginLate(agent: Pick<AgentRow, "organizationId" | "id">): Promise<void>;
};

export function readEditor(request: FastifyRequest): Editor {
  const { keyId, userId, name } = requirePrincipal(request);
  const by =
    keyId === null ? { type: "user" as const, id: userId ?? "", name } : { type: "key" as const, id: keyId, name };
  return { by, ifMatch: request.headers["if-match"] };
}
