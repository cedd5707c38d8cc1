import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What the prompt of a model's call consists of, in characters. Null for tools and for earlier calls. */
export async function promptSizes({ schema }: Kysely<Tables>): Promise<void> {
  for (const name of ["promptInstructions", "promptDocuments", "promptTools", "promptHistory"]) {
    await schema.alterTable("replySteps").addColumn(name, "integer").execute();
  }
}
