import type { ActingVisitor } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";

/** A verified visitor to act as, while it is edited. `claims` is a JSON object as text. */
export type VisitorDraft = { id: string; email: string; name: string; claims: string };

export const emptyVisitor: VisitorDraft = { id: "", email: "", name: "", claims: "" };

/** @throws FoyerError that names the invalid fields */
export function toActingVisitor({ id, email, name, claims }: VisitorDraft): ActingVisitor {
  const visitor = {
    id: id.trim(),
    email: email.trim() || null,
    name: name.trim() || null,
    claims: parseJsonObject(claims),
  };
  const details = [
    ...(visitor.id === "" ? [{ path: "id", message: "must not be empty" }] : []),
    ...(visitor.claims === undefined ? [{ path: "claims", message: "must be a JSON object: { … }" }] : []),
  ];
  if (details.length === 0) return { ...visitor, claims: visitor.claims ?? null };
  throw new FoyerError("VALIDATION_ERROR", "Fix the visitor's fields first.", { details });
}

/** The object, null for an empty text, and undefined for anything else. */
export function parseJsonObject(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
