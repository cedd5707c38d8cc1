import type { Compilable, CompiledQuery, Kysely, QueryResult } from "kysely";
import type { Tables } from "./tables.ts";

/** Anything that runs queries: the database or a transaction on it. */
export type Executor = Pick<Kysely<Tables>, "executeQuery">;

/**
 * Compiles a query once, for hot paths: building a query costs about 80 µs, running it about 10 µs. `build` receives a
 * function that returns a placeholder for each named parameter. The returned function binds the values and runs the
 * query. This works because Kysely keeps the parameters of a compiled query unchanged and in order.
 */
export function compileOnce<Params extends Record<string, unknown>, Row>(
  build: (param: <K extends keyof Params & string>(name: K) => Params[K]) => Compilable<Row>,
) {
  let compiled: CompiledQuery<Row> | undefined;
  return (executor: Executor, params: Params): Promise<QueryResult<Row>> => {
    compiled ??= build((name) => new Marker(name) as never).compile();
    const parameters = compiled.parameters.map((value) => (value instanceof Marker ? params[value.name] : value));
    return executor.executeQuery({ ...compiled, parameters });
  };
}

class Marker {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
