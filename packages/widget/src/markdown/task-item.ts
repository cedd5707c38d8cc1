import type { Block } from "./blocks.ts";

const mark = /^\[([ x])\]\s+/i;

/** Whether an item of a list begins with a check box, such as `[x] Lights included`. */
export function isTask([first]: readonly Block[]): boolean {
  return first?.type === "paragraph" && mark.test(first.text);
}

/** The text of a task with a character as its check box, which screen readers name. */
export function taskText(text: string): string {
  return text.replace(mark, (_, state: string) => (state === " " ? "☐ " : "☑ "));
}
