import { randomBytes } from "node:crypto";
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Logger } from "pino";
import type { AgentRow } from "../db/tables.ts";
import type { Encryption } from "../encryption.ts";
import { failure, type NumberedPassage, type ToolOutcome } from "../tools/tool-outcome.ts";
import { describePassages, type Found, markCited, toNumbered } from "./describe-passages.ts";
import { isGreeting } from "./greetings.ts";
import { createKnowledgePrefix, type KnowledgePrefix } from "./knowledge-prefix.ts";

const MAX_QUERIES = 3;
const MAX_QUERY_CHARACTERS = 1_000;

/** Citations have at most three digits, so numbers begin again above this one. */
const MAX_EARLIER_NUMBER = 900;

export const SEARCH_TOOL = "search_documents";

const tool: LanguageModelV4FunctionTool = {
  type: "function",
  name: SEARCH_TOOL,
  description:
    "Searches the owner's documents and returns numbered passages. Search before you answer questions about facts. Use the visitor's language.",
  inputSchema: {
    type: "object",
    properties: {
      queries: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        maxItems: MAX_QUERIES,
        description: "One to three short questions or sets of keywords",
      },
    },
    required: ["queries"],
  },
};

type Documents = {
  /** `none`: there is nothing to search. `small`: all documents fit into the prompt. */
  knowledgeSize(organizationId: string, agentId: string): Promise<"none" | "small" | "large">;
  /** All passages of the agent, in an order that stays the same until its documents change. */
  allPassages(organizationId: string, agentId: string): Promise<Found[]>;
  passagesFor(organizationId: string, agentId: string, queries: readonly string[]): Promise<Found[]>;
};

/** The search of one reply: the model's tool, and the numbers of the passages that the model received. */
export type DocumentSearch = {
  kind: "search";
  tool: LanguageModelV4FunctionTool;
  /** The passages of earlier replies that are still in the prompt. */
  earlier: readonly NumberedPassage[];
  /** Adds passages of earlier replies, which can be cited again. New passages get higher numbers. */
  continueFrom(passages: readonly NumberedPassage[]): void;
  /** The search to make before the model is called, or null when the message is only a greeting. */
  openingCall(message: string): { name: string; input: unknown } | null;
  run(input: unknown): Promise<ToolOutcome>;
  /**
   * Marks the passages with this number as cited.
   * @returns whether visitors may see the citation
   */
  cite(n: number): boolean;
};

/** How a reply uses the agent's documents: by search, or as part of the prompt. */
export type ReplyDocuments = DocumentSearch | KnowledgePrefix;

/**
 * @returns a function that prepares the documents for a reply, or resolves to null when the agent has none.
 * `mustSearch`: the model answers only from tool results, so even a small number of documents is searched.
 */
export function createReplyDocuments(documents: Documents, encryption: Pick<Encryption, "sign">, log: Logger) {
  return async (agent: AgentRow, { mustSearch = false } = {}): Promise<ReplyDocuments | null> => {
    const size = await documents.knowledgeSize(agent.organizationId, agent.id);
    if (size === "none") return null;
    if (size === "large" || mustSearch) return createDocumentSearch(documents, agent, log);
    const found = await documents.allPassages(agent.organizationId, agent.id);
    return found.length === 0 ? null : createKnowledgePrefix(encryption, agent.id, found);
  };
}

function createDocumentSearch(documents: Documents, { id, organizationId }: AgentRow, log: Logger): DocumentSearch {
  const numbers = new Map<string, number>();
  const received: NumberedPassage[] = [];
  const earlier: NumberedPassage[] = [];
  let lastNumber = 0;

  /**
   * Numbers a passage. It keeps its number when several searches find it; score and matched words belong to each
   * search.
   */
  function receive(found: Found): NumberedPassage {
    const key = `${found.documentId}:${found.ordinal}`;
    const n = numbers.get(key) ?? ++lastNumber;
    numbers.set(key, n);
    const passage = toNumbered(found, n);
    received.push(passage);
    return passage;
  }

  return {
    kind: "search",
    tool,
    earlier,
    continueFrom(passages) {
      const highest = passages.reduce((max, { n }) => Math.max(max, n), 0);
      if (highest > MAX_EARLIER_NUMBER) return;
      lastNumber = highest;
      earlier.push(...passages.map((passage) => ({ ...passage, isCited: false })));
    },
    openingCall(message) {
      if (isGreeting(message)) return null;
      return { name: SEARCH_TOOL, input: { queries: [message.slice(0, MAX_QUERY_CHARACTERS)] } };
    },
    async run(input) {
      const queries = parseQueries(input);
      if (queries === null) return failure("`queries` must be a list of 1 to 3 texts.");
      try {
        const startedAt = performance.now();
        const found = await documents.passagesFor(organizationId, id, queries);
        const searchMs = Math.round(performance.now() - startedAt);
        const passages = found.map(receive);
        const titles = new Set(passages.filter(({ citation }) => citation !== "hidden").map(({ title }) => title));
        return {
          result: { documents: [...titles] },
          isError: false,
          displayConfig: null,
          display: null,
          forModel: describe(found.map((one, index) => ({ ...one, n: passages[index]?.n ?? 0 }))),
          passages,
          searchMs,
        };
      } catch (error) {
        log.error({ err: error, agentId: id }, "could not search the documents");
        return failure("The documents cannot be searched right now.");
      }
    },
    cite: (n) => markCited([...earlier, ...received], n),
  };
}

function parseQueries(input: unknown): string[] | null {
  const { queries } = (input ?? {}) as { queries?: unknown };
  if (!Array.isArray(queries) || queries.length === 0 || queries.length > MAX_QUERIES) return null;
  const texts = queries.filter((query) => typeof query === "string" && query.trim() !== "");
  return texts.length === queries.length ? texts.map((text) => text.slice(0, MAX_QUERY_CHARACTERS)) : null;
}

/** Describes the passages. The delimiter is random, so that no document can contain it. */
function describe(passages: ReadonlyArray<Found & { n: number }>): string {
  if (passages.length === 0) {
    return "The documents contain nothing about this. Say that you don't know rather than guessing.";
  }
  return describePassages(passages, `passage-${randomBytes(6).toString("hex")}`);
}
