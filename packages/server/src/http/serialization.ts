import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";

const createCompiler = SerializerSelector();

type Compiler = ReturnType<typeof createCompiler>;
type Schemas = Record<string, unknown>;

/** By response schema: every server of a process has the schemas of the contract, and building one takes milliseconds. */
const serializers = new WeakMap<object, ReturnType<Compiler>>();

/**
 * Fastify's own serializers, each built with the first answer that needs it: together they would be the largest part of
 * what an idle server holds. For `schemaController.compilersFactory.buildSerializer`.
 */
export function buildLazySerializer(...[schemas, options]: Parameters<typeof createCompiler>): Compiler {
  return (route) => (value) => {
    const schema = route.schema as object;
    const serialize =
      serializers.get(schema) ?? createCompiler(referencedBy(schema, schemas as Schemas), options)(route);
    serializers.set(schema, serialize);
    return serialize(value);
  };
}

/** The schemas that this one refers to, also through others. The compiler examines every schema that it is given. */
function referencedBy(schema: object, schemas: Schemas, found: Schemas = {}): Schemas {
  for (const [key, value] of Object.entries(schema)) {
    const id = key === "$ref" && typeof value === "string" ? value.split("#", 1)[0] : undefined;
    const next = id === undefined ? value : schemas[id];
    if (typeof next !== "object" || next === null || (id !== undefined && id in found)) continue;
    if (id !== undefined) found[id] = next;
    referencedBy(next, schemas, found);
  }
  return found;
}
