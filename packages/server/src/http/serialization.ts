import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";

const createCompiler = SerializerSelector();

type Compiler = ReturnType<typeof createCompiler>;
type Schemas = Record<string, unknown>;

/**
 * The serializers by response schema. They are shared, because all servers of a process use the contract's schemas and
 * building one serializer takes milliseconds.
 */
const serializers = new WeakMap<object, ReturnType<Compiler>>();

/**
 * Builds each of Fastify's serializers when a response first needs it, because all of them together take 1 s of
 * CPU and most of the memory of an idle server. Pass this function as `schemaController.compilersFactory.buildSerializer`.
 */
export function buildLazySerializer(...[schemas, options]: Parameters<typeof createCompiler>): Compiler {
  return (route) => (value) => {
    const schema = route.schema as object;
    const serialize =
      serializers.get(schema) ?? createCompiler(collectReferenced(schema, schemas as Schemas), options)(route);
    serializers.set(schema, serialize);
    return serialize(value);
  };
}

/**
 * Collects the schemas to which a schema refers, directly or indirectly. Pass only these to the compiler, because it
 * examines every schema that it receives.
 */
function collectReferenced(schema: object, schemas: Schemas, found: Schemas = {}): Schemas {
  for (const [key, value] of Object.entries(schema)) {
    const id = key === "$ref" && typeof value === "string" ? value.split("#", 1)[0] : undefined;
    const next = id === undefined ? value : schemas[id];
    if (typeof next !== "object" || next === null || (id !== undefined && id in found)) continue;
    if (id !== undefined) found[id] = next;
    collectReferenced(next, schemas, found);
  }
  return found;
}
