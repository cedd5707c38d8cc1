import { Ajv2020 } from "ajv/dist/2020.js";
import type { Schema } from "./generate-value.ts";

type Content = Record<string, { schema?: Schema }>;
type DeclaredAnswer = { $ref?: string; content?: Content };
export type Operation = {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, DeclaredAnswer>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, DeclaredAnswer> };
};
export type Answer = { status: number; mediaType: string; text: string };

/** Compares responses with the published document. */
export function createAnswerCheck(document: Document) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "document", ...document });
  const checks = new Map<Schema, ReturnType<typeof ajv.compile>>();

  function resolve<T extends { $ref?: string }>(value: T): T {
    if (value.$ref === undefined) return value;
    const parts = value.$ref.replace(/^#\//, "").split("/");
    return resolve(parts.reduce<unknown>((at, name) => Reflect.get(at as object, name), document) as T);
  }

  function compileCheck(schema: Schema) {
    const cachedCheck = checks.get(schema);
    if (cachedCheck) return cachedCheck;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
    const check = ajv.compile(absolute);
    checks.set(schema, check);
    return check;
  }

  function findMismatch(value: unknown, schema: Schema): string | null {
    const check = compileCheck(schema);
    if (!check(value)) return `breaks its schema: ${ajv.errorsText(check.errors)}`;
    const extra = findUndeclared(value, schema);
    return extra === null ? null : `has the undeclared field ${extra}`;
  }

  /** The path of the first property that the schema does not declare. */
  function findUndeclared(value: unknown, given: Schema): string | null {
    if (typeof value !== "object" || value === null) return null;
    const parts = listParts(given);
    if (Array.isArray(value)) {
      const items = parts.find((part) => part.items)?.items;
      return items ? (value.map((item) => findUndeclared(item, items)).find((path) => path !== null) ?? null) : null;
    }
    const isOpen = parts.every((part) => !part.properties) || parts.some((part) => part.additionalProperties);
    for (const [name, child] of Object.entries(value)) {
      const declared = parts.flatMap((part) => part.properties?.[name] ?? []);
      if (declared.length === 0 && !isOpen) return name;
      const inner = declared.map((schema) => findUndeclared(child, schema));
      if (inner.length > 0 && inner.every((path) => path !== null)) return `${name}.${inner[0]}`;
    }
    return null;
  }

  function listParts(given: Schema): Schema[] {
    const schema = resolve(given);
    const inner = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
    return [schema, ...inner.flatMap(listParts)];
  }

  function checkEvents(text: string, schema: Schema): string | null {
    for (const [, data = ""] of text.matchAll(/^data: (.*)$/gm)) {
      const event = JSON.parse(data);
      const problem = findMismatch(event, schema);
      if (problem) return `event ${event.type} ${problem}`;
    }
    return null;
  }

  return {
    resolve,
    /** Describes how a response differs from its declaration; null when it does not. */
    check({ responses }: Operation, { status, mediaType, text }: Answer): string | null {
      // A 503 may be declared. Any other server error is a fault, whatever the document says.
      if (status >= 500 && status !== 503) return `is ${status}`;
      const declared = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
      if (!declared) return `has the undeclared status ${status}`;
      const { content } = resolve(declared);
      if (!content) return text === "" ? null : `has a body, and ${status} declares none`;
      const media = content[mediaType] ?? content[mediaType.replace(/\/.*/, "/*")] ?? content["*/*"];
      if (!media) return `has the undeclared media type ${mediaType}`;
      if (!media.schema) return null;
      if (mediaType === "text/event-stream") return checkEvents(text, media.schema.contentSchema ?? {});
      if (mediaType !== "application/json") return null;
      return findMismatch(JSON.parse(text), media.schema);
    },
  };
}
