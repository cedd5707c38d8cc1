/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HandoffController } from "./create-handoff.ts";

/** The switch for a sound that announces new messages. Switching it on plays the sound once. */
export function SoundSwitch({ handoff: { sound, texts } }: { handoff: HandoffController }): JSX.Element {
  const [isOn, setIsOn] = useState(sound.isOn);
  const toggle = () => {
    sound.turn(!isOn);
    setIsOn(!isOn);
  };
  return (
    <button type="button" class="sound-switch" role="switch" aria-checked={isOn} onClick={toggle}>
      <span>{texts.sound}</span>
      <span class="track" aria-hidden="true" />
    </button>
  );
}
