import {
  type IdentifierNode,
  type Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  type Transaction,
} from "kysely";
import type { Tables } from "./tables.ts";

/** The tables with the tools and triggers of drafts. They have the columns of those that visitors get. */
const draftTables: Record<string, string> = { tools: "draftTools", triggers: "draftTriggers" } satisfies Partial<
  Record<keyof Tables, keyof Tables>
>;

class DraftTables extends OperationNodeTransformer {
  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    const name = draftTables[node.name];
    return name === undefined ? node : { ...node, name };
  }
}

const transformer = new DraftTables();

const plugin: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
  transformResult: async ({ result }) => result,
};

/** Whether members edit a draft of the agent, which visitors do not get. */
export async function hasDraft(db: Kysely<Tables>, agentId: string): Promise<boolean> {
  const agent = await db.selectFrom("agents").select("publishing").where("id", "=", agentId).executeTakeFirst();
  return agent?.publishing === "manual";
}

/** The same connection, on which queries of `tools` and `triggers` reach those of drafts, see agents/editor.ts. */
export function inDraft(trx: Transaction<Tables>): Transaction<Tables>;
export function inDraft(db: Kysely<Tables>): Kysely<Tables>;
export function inDraft(db: Kysely<Tables>): Kysely<Tables> {
  return db.withPlugin(plugin);
}
