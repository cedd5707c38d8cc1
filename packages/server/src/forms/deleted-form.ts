import { isMissingReference } from "../db/database-errors.ts";
import { notFound } from "../errors.ts";

/**
 * Converts the error of a write to a form that was deleted concurrently into a 404, which later requests get as well.
 */
export function toFormNotFound(error: unknown): never {
  throw isMissingReference(error) ? notFound("Form") : error;
}
