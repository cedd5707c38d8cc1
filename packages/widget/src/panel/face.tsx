/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import { toInitials } from "@foyer/contract/rules/initials";
import type { JSX } from "preact";
import { chooseAgentImage } from "../loader/agent-images.ts";
import { usePanel } from "./panel-context.ts";

/** `dark` when the agent cannot answer, `lit` when it can, `glowing` while something is in progress. */
export type Light = "dark" | "lit" | "glowing";

/** The lamp. With `hangs`, it hangs on its cord. */
export function Lamp({ light = "glowing", hangs }: { light?: Light; hangs?: boolean | undefined }): JSX.Element {
  return (
    <svg class={`lamp ${light}`} viewBox={hangs ? "0 0 24 40" : "0 16 24 24"} aria-hidden="true">
      <path class="light" d="M5 28.5h14l5 11.5H0z" />
      <path d="M11 0h2v17.5A12 9.5 0 0 1 24 27H0a12 9.5 0 0 1 11-9.5z" />
    </svg>
  );
}

/** The agent's face beside its name. Renders nothing if the agent has none. */
export function AgentFace({ light, hangs }: { light: Light; hangs?: boolean }): JSX.Element | null {
  const { core } = usePanel();
  const { face } = core.agent.widget;
  const image = face && face !== "image" ? null : chooseAgentImage(core, "avatar");
  if (face === "none") return null;
  if (image) return <img class="avatar" src={image} alt="" />;
  if (face === "initials") return <Initials text={toInitials(core.title)} class={light} />;
  return <Lamp light={light} hangs={hangs} />;
}

/** Represents a person. Their name is displayed next to it. */
export function PersonFace({ person }: { person: Person }): JSX.Element {
  return <Initials text={person.initials} />;
}

function Initials({ text, class: state = "" }: { text: string; class?: string }): JSX.Element {
  return (
    <span class={`avatar initials ${state}`} aria-hidden="true">
      {text}
    </span>
  );
}
