import { DOCUMENTED_AS, MEDIA_TYPES } from "@foyer/contract";
import { rateLimitHeaders } from "./openapi-parts.ts";

/** The parts of an OpenAPI document that this module changes. */
type Document = { tags?: { name: string }[]; paths: Record<string, Record<string, Operation>> };
type Operation = {
  tags?: string[];
  security?: object[];
  parameters?: unknown[];
  operationId?: string;
  requestBody?: { content: Record<string, object> };
  responses?: Record<string, { headers?: object; content?: Record<string, { schema?: Record<string, unknown> }> }>;
};
type Parts = {
  /** by operation id */
  requestExamples: Readonly<Record<string, unknown>>;
  errorResponses: (operation: { operationId: string; hasInput: boolean; isPublic: boolean }) => object;
  webhooks: object;
};

/** Adds the parts that all operations share to the generated document, and sorts the operations by tag. */
export function completeDocument(generated: Document, { requestExamples, errorResponses, webhooks }: Parts): Document {
  const document = replaceDocumentedSchemas(generated) as Document;
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const hasInput = operation.parameters !== undefined || operation.requestBody !== undefined;
    const isPublic = (operation.security ?? []).length === 0;
    for (const response of Object.values(operation.responses ?? {})) {
      addMediaTypes(response.content ?? {});
      response.headers = { ...rateLimitHeaders, ...response.headers };
    }
    const { operationId = "" } = operation;
    const example = requestExamples[operationId];
    for (const media of Object.values(operation.requestBody?.content ?? {})) Object.assign(media, { example });
    operation.responses = { ...operation.responses, ...errorResponses({ operationId, hasInput, isPublic }) };
  }
  return Object.assign(document, { paths: sortByTag(document), webhooks });
}

/** Replaces schemas whose published form differs from the one used for validation. */
function replaceDocumentedSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceDocumentedSchemas);
  if (typeof value !== "object" || value === null) return value;
  const documentedSchema = Reflect.get(value, DOCUMENTED_AS);
  if (documentedSchema !== undefined) return replaceDocumentedSchemas(documentedSchema);
  // TypeBox schemas contain symbols and undefined, which JSON cannot represent.
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, replaceDocumentedSchemas(child)]));
}

function addMediaTypes(content: Record<string, { schema?: Record<string, unknown> }>): void {
  for (const { schema } of Object.values(content)) {
    if (!schema || !(MEDIA_TYPES in schema)) continue;
    Object.assign(content, schema[MEDIA_TYPES]);
    delete schema[MEDIA_TYPES];
  }
}

function sortByTag({ paths, tags = [] }: Document): Document["paths"] {
  const order = new Map(tags.map(({ name }, index) => [name, index]));
  const rank = (item: Record<string, Operation>) => {
    const [tag = ""] = Object.values(item)[0]?.tags ?? [];
    return order.get(tag) ?? order.size;
  };
  const entries = Object.entries(paths).map(([path, item], index) => ({ path, item, index }));
  entries.sort((a, b) => rank(a.item) - rank(b.item) || a.index - b.index);
  return Object.fromEntries(entries.map(({ path, item }) => [path, item]));
}
