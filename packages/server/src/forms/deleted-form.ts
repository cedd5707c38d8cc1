import { isMissingReference } from "../db/database-errors.ts";
import { notFound } from "../errors.ts";

/** For what a visitor sent while the form's agent was being deleted: 404, as it is a moment later. */
export function toFormNotFound(error: unknown): never {
  throw isMissingReference(error) ? notFound("Form") : error;
}
