/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import type { JSX } from "preact";
import { AgentFace, type Light, PersonFace } from "../panel/face.tsx";
import { usePanel } from "../panel/panel-context.ts";

/** The face and the name above the first reply of a run: a person's, or the agent's, whose light is given. */
export function Sender({ person, light }: { person?: Person | null | undefined; light: Light }): JSX.Element {
  const { core } = usePanel();
  return (
    <p class="sender">
      {person ? <PersonFace person={person} /> : <AgentFace light={light} />}
      <bdi>{person?.name ?? core.agent.name}</bdi>
    </p>
  );
}
