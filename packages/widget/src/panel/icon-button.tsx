/** @jsxImportSource preact */
import type { JSX } from "preact";
import { Icon } from "./icon.tsx";

type IconButtonProps = {
  name: Parameters<typeof Icon>[0]["name"];
  label: string;
  onClick: () => void;
  /** Whether a button that stays pressed is pressed. */
  pressed?: boolean;
};

/** A button with an icon. `label` is its accessible name. */
export function IconButton({ name, label, onClick, pressed }: IconButtonProps): JSX.Element {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} aria-pressed={pressed} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}
