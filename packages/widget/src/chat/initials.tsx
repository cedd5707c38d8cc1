/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import type { JSX } from "preact";

/** Stands for a person beside their name. */
export function Initials({ person }: { person: Person }): JSX.Element {
  return (
    <span class="avatar" aria-hidden="true">
      {person.initials}
    </span>
  );
}
