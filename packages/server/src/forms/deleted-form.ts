import { isMissingReference } from "../db/database-errors.ts";
import { notFound } from "../errors.ts";

/**
 * Turns the error of a write whose form was deleted concurrently into a 404, the same response that the next request
 * gets.
 */
export function toFormNotFound(error: unknown): never {
  throw isMissingReference(error) ? notFound("Form") : error;
}
