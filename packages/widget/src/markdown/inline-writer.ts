/** A piece of a line of text, as it is shown. */
export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "break" }
  | { type: Style; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] }
  | { type: "image"; src: string; alt: string };

export type Style = "strong" | "em" | "del";

/** A mark that waits for its end; it is shown as it is when that never comes. `start` is where its content begins. */
type Open = { mark: string; start: number };

/** Deeper than this, marks are text. */
const MOST_OPEN = 20;

/** What was read so far, and the marks that are still open. All that it does takes a time that does not grow with the text. */
export function createInlineWriter() {
  const out: Inline[] = [];
  const open: Open[] = [];

  const giveUp = (index: number) => {
    const [lost] = open.splice(index, 1);
    if (!lost) return;
    out.splice(lost.start, 0, textOf(lost.mark));
    for (const inner of open.slice(index)) inner.start += 1;
  };

  return {
    add: (...parts: Inline[]) => void out.push(...parts),
    say(words: string): void {
      if (words === "") return;
      // Not across a mark that is still open: what follows it may become its own.
      const last = out.length > (open.at(-1)?.start ?? 0) ? out.at(-1) : undefined;
      if (last?.type === "text") last.text += words;
      else out.push(textOf(words));
    },
    /** False when too many are open. */
    open(mark: string): boolean {
      if (open.length >= MOST_OPEN) return false;
      open.push({ mark, start: out.length });
      return true;
    },
    /** The newest of these marks that is open; -1 for none. */
    find: (...marks: string[]): number => open.findLastIndex(({ mark }) => marks.includes(mark)),
    isEmpty: (index: number): boolean => open[index]?.start === out.length,
    giveUp,
    /** Takes away the mark and all since; marks that were opened inside are given up. */
    take(index: number): { mark: string; children: Inline[] } {
      while (open.length > index + 1) giveUp(open.length - 1);
      const { mark, start } = open.pop() ?? { mark: "", start: out.length };
      return { mark, children: out.splice(start) };
    },
    /** All that was read. `closes` says what becomes of a mark that is still open; null gives it up. */
    end(closes: (mark: string) => Style | null): Inline[] {
      for (let last = open.at(-1); last; last = open.at(-1)) {
        const type = closes(last.mark);
        if (type && last.start < out.length) out.push({ type, children: this.take(open.length - 1).children });
        else giveUp(open.length - 1);
      }
      return joined(out);
    },
  };
}

export const textOf = (text: string): Inline & { type: "text" } => ({ type: "text", text });

/** The words alone. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.type === "text" || part.type === "code") return part.text;
      if (part.type === "break") return " ";
      return part.type === "image" ? part.alt : plainText(part.children);
    })
    .join("");
}

function joined(parts: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === "text" && last?.type === "text") last.text += part.text;
    else out.push(part);
  }
  return out;
}
