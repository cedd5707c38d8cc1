import type { Element } from "./html-elements.ts";
import { isNoteNumber, type NoteKind, readTwin, type Twin } from "./html-marks.ts";

/** A raised part, or a link that may be the number of a note. */
type Superscript = { start: number; isRaised: boolean; note: NoteKind | null };

/** Stands before superscript digits until the text after them is known. */
const SUPERSCRIPT = "\uE000";

/** The text of the current paragraph or table cell, in which struck and raised parts and repetitions are resolved. */
export function createParagraph() {
  let text = "";
  /** to know whether a position in `text` is still valid */
  let number = 0;
  /** whether `text` ends within a struck part */
  let isStruck = false;
  let superscript: Superscript | null = null;

  /** Marks digits after digits, because 10 with a superscript 6 is not 106. Drops the numbers of notes. */
  function closeSuperscript({ start, isRaised, note }: Superscript): void {
    const raised = text.slice(start).trim();
    const before = text.slice(Math.max(0, start - 10), start);
    if (note !== null && isNoteNumber(raised, before, { note, isRaised })) text = text.slice(0, start);
    else if (isRaised && /\d\s*$/.test(before) && /^[[(]?[-+\u2212]?\d+[\])]?$/.test(raised))
      text = text.slice(0, start) + SUPERSCRIPT + raised;
  }

  function openSuperscript({ tag, isRaised, note }: Element): void {
    if (isRaised) {
      const around = superscript?.start === text.length ? superscript.note : null;
      superscript = { start: text.length, isRaised, note: note ?? around };
    } else if (superscript && tag === "a") superscript.note ??= note ?? "link";
    else if (note !== null) superscript ??= { start: text.length, isRaised, note };
  }

  /** Leaves out the part that repeats for eyes what its neighbour says to screen readers. */
  function closeTwin(element: Element, parent: Element | undefined): void {
    if (element.twinKind === null || !parent) return;
    if (element.twinKind === "spoken") text += " ";
    const twin: Twin = { kind: element.twinKind, start: element.start, end: text.length, paragraph: number };
    const repeated = element.paragraph === number ? readTwin(text, twin, parent.twin) : null;
    parent.twin = repeated === null ? twin : null;
    if (repeated !== null) text = text.slice(0, repeated.start) + text.slice(repeated.end);
  }

  /** Begins or ends a part that is struck out. White space stays outside of it. */
  function setStruck(isOn: boolean): void {
    if (isOn === isStruck) return;
    isStruck = isOn;
    const end = isOn ? text : text.trimEnd();
    text = `${end}~~${text.slice(end.length)}`;
  }

  return {
    text: () => text,
    /** Adds a sign that is not in the page. */
    add(sign: string): void {
      text += sign;
    },
    write(value: string, isValueStruck: boolean): void {
      const content = value.trimStart();
      if (content !== "" && isValueStruck !== isStruck) {
        if (isValueStruck) text += value.slice(0, value.length - content.length);
        setStruck(isValueStruck);
        text += isValueStruck ? content : value;
      } else text += value;
    },
    openElement(element: Element): void {
      if (element.twinKind === "spoken" && /\S$/.test(text)) text += " ";
      element.start = text.length;
      element.paragraph = number;
    },
    openSuperscript,
    closeElement(element: Element, parent: Element | undefined): void {
      if (superscript && (element.isRaised || element.note !== null) && superscript.start >= element.start) {
        closeSuperscript(superscript);
        superscript = null;
      }
      closeTwin(element, parent);
    },
    closeStruck: () => setStruck(false),
    reset(): void {
      text = "";
      number++;
    },
  };
}

/** Superscript digits are the cents of a price, or an exponent. */
export function resolveSuperscripts(text: string): string {
  if (!text.includes(SUPERSCRIPT)) return text;
  return text
    .replace(/(\p{Sc}\s?[\d.,]{1,20})\uE000(?=\d\d(?!\d))/gu, "$1.")
    .replace(/\uE000(?=\d\d\s?(?:\p{Sc}|(?:euros?|eur|usd|gbp|chf|kr|zł)(?!\p{L})))/giu, ".")
    .replaceAll(SUPERSCRIPT, "^");
}
