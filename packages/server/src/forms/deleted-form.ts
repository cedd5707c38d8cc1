import { isMissingReference } from "../db/database-errors.ts";
import { notFound } from "../errors.ts";

/** Rethrows the error of a write whose form was deleted at the same time as 404, as the next request will get it. */
export function toFormNotFound(error: unknown): never {
  throw isMissingReference(error) ? notFound("Form") : error;
}
