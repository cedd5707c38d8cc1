import { SerializerSelector } from "@fastify/fast-json-stringify-compiler";

const createCompiler = SerializerSelector();

/**
 * Fastify's own serializers, each built with the first answer that needs it: together they would be the largest part of
 * what an idle server holds. For `schemaController.compilersFactory.buildSerializer`.
 */
export function buildLazySerializer(...options: Parameters<typeof createCompiler>): ReturnType<typeof createCompiler> {
  const compile = createCompiler(...options);
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (value) => {
      serialize ??= compile(route);
      return serialize(value);
    };
  };
}
