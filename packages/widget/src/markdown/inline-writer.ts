/** An inline element of Markdown. */
export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "break" }
  | { type: Style; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] }
  | { type: "image"; src: string; alt: string };

export type Style = "strong" | "em" | "del";

/** A mark that has not been closed yet. It is shown as text if it never is. `start` is where its content begins. */
type Open = { mark: string; start: number };

/** The maximum number of open marks. Marks that are nested deeper are text. */
const MAX_OPEN_MARKS = 20;

/** Collects parsed elements and the marks that are still open. Each operation takes constant time. */
export function createInlineWriter() {
  const out: Inline[] = [];
  const open: Open[] = [];

  const giveUp = (index: number) => {
    const [lost] = open.splice(index, 1);
    if (!lost) return;
    out.splice(lost.start, 0, toTextNode(lost.mark));
    for (const inner of open.slice(index)) inner.start += 1;
  };

  return {
    add: (...parts: Inline[]) => void out.push(...parts),
    say(text: string): void {
      if (text === "") return;
      // Do not merge text across an open mark, because what follows may become the mark's content.
      const last = out.length > (open.at(-1)?.start ?? 0) ? out.at(-1) : undefined;
      if (last?.type === "text") last.text += text;
      else out.push(toTextNode(text));
    },
    /** Returns false if too many marks are open. */
    open(mark: string): boolean {
      if (open.length >= MAX_OPEN_MARKS) return false;
      open.push({ mark, start: out.length });
      return true;
    },
    /** The index of the most recently opened of these marks, or -1. */
    find: (...marks: string[]): number => open.findLastIndex(({ mark }) => marks.includes(mark)),
    isEmpty: (index: number): boolean => open[index]?.start === out.length,
    giveUp,
    /** Removes the mark and everything after it. Marks that were opened inside it become text. */
    take(index: number): { mark: string; children: Inline[] } {
      while (open.length > index + 1) giveUp(open.length - 1);
      const { mark, start } = open.pop() ?? { mark: "", start: out.length };
      return { mark, children: out.splice(start) };
    },
    /**
     * Returns all elements. `closes` returns the style of a mark that is still open, or null to turn the mark into
     * text.
     */
    end(closes: (mark: string) => Style | null): Inline[] {
      for (let last = open.at(-1); last; last = open.at(-1)) {
        const type = closes(last.mark);
        if (type && last.start < out.length) out.push({ type, children: this.take(open.length - 1).children });
        else giveUp(open.length - 1);
      }
      return joinText(out);
    },
  };
}

export const toTextNode = (text: string): Inline & { type: "text" } => ({ type: "text", text });

/** The text without formatting. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if (part.type === "text" || part.type === "code") return part.text;
      if (part.type === "break") return " ";
      return part.type === "image" ? part.alt : plainText(part.children);
    })
    .join("");
}

function joinText(parts: readonly Inline[]): Inline[] {
  const out: Inline[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === "text" && last?.type === "text") last.text += part.text;
    else out.push(part);
  }
  return out;
}
