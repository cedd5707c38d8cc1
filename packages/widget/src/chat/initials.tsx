/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import type { JSX } from "preact";

/** Represents a person. Their name is displayed next to it. */
export function Initials({ person }: { person: Person }): JSX.Element {
  return (
    <span class="avatar" aria-hidden="true">
      {person.initials}
    </span>
  );
}
