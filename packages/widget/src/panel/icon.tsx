/** @jsxImportSource preact */
import type { JSX } from "preact";

/** The style sheet turns this icon upside down for `thumbDown`. */
const thumb = "M7 11v9H4v-9zM7 11l4-8c1.5 0 2.5 1.1 2.5 2.5V9h5a2 2 0 0 1 2 2.4l-1.4 7A2 2 0 0 1 17.1 20H7";

const shapes = {
  close: "M6 6l12 12M18 6L6 18",
  back: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  list: "M4 7h16M4 12h16M4 17h10",
  add: "M12 5v14M5 12h14",
  send: "M12 20V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  down: "M12 4v15M6 13l6 6 6-6",
  file: "M7 3h7l4 4v14H7zM14 3v4h4",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  done: "M5 12.5l5 5 9-10",
  again: "M19 12a7 7 0 1 1-2.05-4.95L20 10M20 4v6h-6",
  up: thumb,
  thumbDown: thumb,
} as const;

export function Icon({ name }: { name: keyof typeof shapes }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}
