import { formatOrdinal, type NumberStyle } from "./list-labels.ts";

type OpenList = { next: number; step: number; style: NumberStyle } | null;

/** Numbers the items of ordered lists. */
export function createLists() {
  const lists: OpenList[] = [];
  return {
    open(tag: string, attributes: Record<string, string>): void {
      if (isList(tag)) lists.push(openList(tag, attributes));
    },
    close(tag: string): void {
      if (isList(tag)) lists.pop();
    },
    /** The mark of a list item: its number, or a dash. */
    nextMark(value: string | undefined): string {
      const list = lists.at(-1);
      if (!list) return "- ";
      if (value !== undefined && /^\d{1,9}$/.test(value)) list.next = Number(value);
      const number = list.next;
      list.next += list.step;
      return `${formatOrdinal(number, list.style)}. `;
    },
  };
}

const isList = (tag: string) => tag === "ol" || tag === "ul";

/** A list that counts down begins with the number of its items, which is not known yet unless the list says it. */
function openList(tag: string, { start, reversed, type = "1" }: Record<string, string>): OpenList {
  const first = Number.parseInt(start ?? "1", 10);
  const style = /^[1aAiI]$/.test(type) ? (type as NumberStyle) : "1";
  if (tag !== "ol" || (reversed !== undefined && start === undefined)) return null;
  return { next: Number.isNaN(first) ? 1 : first, step: reversed === undefined ? 1 : -1, style };
}

/** Whether a text consists of the mark of a list item, whose first paragraph follows. */
export const isListMark = (text: string): boolean => /^\s*(-|\w{1,10}\.) $/.test(text);

/** A price in the entry of a list, which says what a choice costs. */
const priceSign = /\p{Sc}\s?\d|\d\s?(?:\p{Sc}|(?:eur|euros?|usd|gbp|chf|kr|zł)(?!\p{L}))/iu;

/** The entries of a list to choose from. They are text if one of them has a price. */
export function createChoices() {
  let entry = "";
  let entries: string[] = [];
  return {
    open(tag: string): void {
      if (tag === "option") entry = "";
    },
    text(value: string): void {
      entry += value;
    },
    /** @returns the text of the list when it ends */
    close(tag: string): string {
      if (tag === "option" && entry.trim() !== "") entries.push(entry.replace(/\s+/g, " ").trim());
      if (tag !== "select") return "";
      const text = entries.some((choice) => priceSign.test(choice)) ? ` ${entries.join("; ")} ` : "";
      entries = [];
      return text;
    },
  };
}
