import { type Display, type DisplayConfig, type DisplayType, displayOptions } from "@foyer/contract";
import { invalid } from "../errors.ts";

/**
 * What a visitor sees of a tool's result: the slots that are mapped, and nothing else; for `text` without a mapping the
 * whole result. A slot is a text of at most 2,000 characters, a number, a boolean, or a list of at most 50 objects
 * (`items`, `buttons`) or rows. What does not fit its slot, an address that is not safe above all, is left out.
 */
export function displayOf(result: unknown, config: DisplayConfig | null): Display {
  const type = config?.type ?? "text";
  const mapped = Object.entries(config?.fieldMappings ?? {}).filter(([slot]) => !forbidden.has(slot));
  const data = type === "text" ? result : structured(result);
  const slots = fillers[type](data, new Map(mapped));
  return { type, slots: Object.fromEntries(slots.filter(isFilled)), options: knownOptions(config) };
}

/**
 * Checks the slot names and paths of a display before it is saved. A slot that the display type does not use is fine.
 * @throws 400 for `displayConfig.fieldMappings.<slot>`
 */
export function checkDisplayConfig(config: DisplayConfig): void {
  for (const [slot, path] of Object.entries(config.fieldMappings ?? {})) {
    const refuse = (message: string) => invalid(`displayConfig.fieldMappings.${slot}`, message, "not_allowed");
    if (forbidden.has(slot)) throw refuse("cannot be the name of a slot");
    const parts = path.split(".");
    if (parts.length > 10) throw refuse("must have at most 10 parts");
    if (parts.some((part) => part.trim() === "" || forbidden.has(part))) {
      throw refuse("must be the name of a field, such as price or product.price");
    }
  }
}

type Mapping = ReadonlyMap<string, string>;
type Slot = [name: string, value: unknown];

const maxItems = 50;
const maxColumns = 20;
const maxTextLength = 2_000;
const maxImageBytes = 102_400;

/** Names that mean something to JavaScript itself. */
const forbidden = new Set(["__proto__", "constructor", "prototype"]);
const card = ["title", "price", "image", "description", "url"];

const fillers: Record<DisplayType, (data: unknown, mapping: Mapping) => Slot[]> = {
  text: (data, mapping) => [["text", text(mapping.has("text") ? lookUp(data, mapping.get("text")) : data)]],
  product_card: (data, mapping) => fillAll(card, data, mapping),
  product_carousel: (data, mapping) => [
    ["items", fillItems(listOf("items", data, mapping), (item) => fillAll(card, item, mapping))],
  ],
  image: (data, mapping) => fillAll(["image", "title", "description"], data, mapping),
  table: fillTable,
  buttons: (data, mapping) => [
    ...fillAll(["title"], data, mapping),
    ["buttons", fillItems(listOf("buttons", data, mapping), (item) => fillButton(item, mapping))],
  ],
  form: () => [],
  // Nobody knows what a page does with its own slots: none of them gets an address that would run a program.
  custom: (data, mapping) =>
    fillAll([...mapping.keys()], data, mapping).filter(([slot, value]) => slot === "image" || !isProgram(value)),
};

function fillAll(slots: string[], data: unknown, mapping: Mapping): Slot[] {
  return slots.map((slot) => [slot, fill(slot, lookUp(data, mapping.get(slot)))]);
}

/** What a slot takes: an image and a link only safe addresses, every other one a scalar. */
function fill(slot: string, value: unknown): unknown {
  if (slot === "image") return imageAddress(value);
  if (slot === "url") return linkAddress(value);
  return scalar(value);
}

function fillItems(list: unknown[] | undefined, fillItem: (item: unknown) => Slot[]): unknown[] | undefined {
  return list
    ?.map((item) => Object.fromEntries(fillItem(item).filter(isFilled)))
    .filter((item) => Object.keys(item).length > 0)
    .slice(0, maxItems);
}

function fillButton(item: unknown, mapping: Mapping): Slot[] {
  // A list of plain texts that was mapped makes buttons that say what they are called.
  if (mapping.has("buttons") && isScalar(item)) return ["label", "value"].map((slot) => [slot, scalar(item)]);
  return fillAll(["label", "value", "url"], item, mapping);
}

function fillTable(data: unknown, mapping: Mapping): Slot[] {
  const columns = [...mapping].filter(([name]) => name !== "rows").slice(0, maxColumns);
  const rows = listOf("rows", data, mapping)?.filter((row) => typeof row === "object" && row !== null);
  if (columns.length === 0 || !rows) return [];
  const cells = (row: unknown) => columns.map(([, field]) => scalar(lookUp(row, field)) ?? null);
  return [
    ["columns", columns.map(([header]) => header)],
    ["rows", rows.slice(0, maxItems).map(cells)],
  ];
}

/** The list that a slot is mapped to, or the result itself when that is one. */
function listOf(slot: string, data: unknown, mapping: Mapping): unknown[] | undefined {
  return [lookUp(data, mapping.get(slot)), data].find((value) => Array.isArray(value));
}

/** A field by its dotted path, through own properties and positions in arrays only. */
function lookUp(data: unknown, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  let value = data;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || forbidden.has(part)) return undefined;
    if (Array.isArray(value) ? !/^\d+$/.test(part) : !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** The answer of a mock is always text; what was written as JSON has fields all the same. */
function structured(result: unknown): unknown {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result)) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

function text(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function scalar(value: unknown): string | number | boolean | undefined {
  if (!isScalar(value)) return undefined;
  return typeof value === "string" ? cut(value) : value;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** At most 2,000 characters, the last of them `…` when there were more; never half an emoji. */
function cut(value: string): string {
  if (value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function linkAddress(value: unknown): string | undefined {
  return webAddress(value, ["https:", "http:", "mailto:"]);
}

function imageAddress(value: unknown): string | undefined {
  const [, base64] =
    /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(typeof value === "string" ? value : "") ??
    [];
  if (base64 === undefined) return webAddress(value, ["https:"]);
  return Buffer.byteLength(base64, "base64") <= maxImageBytes ? String(value) : undefined;
}

/** An address written out in full, spelled as the URL standard does, so that every client takes it for the same. */
function webAddress(value: unknown, schemes: string[]): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers skip them, which hides a scheme from a reader
  if (typeof value !== "string" || value.length > maxTextLength || /^\s|[\0-\x1f\x7f]/.test(value)) return undefined;
  const url = URL.parse(value);
  // A user name before the host makes an address look like another one's.
  if (!url || !schemes.includes(url.protocol) || url.username || url.password) return undefined;
  return url.href;
}

function isProgram(value: unknown): boolean {
  if (typeof value !== "string") return false;
  // Browsers skip these before and within a scheme.
  return /^(javascript|vbscript):|^data:[^,]*,/i.test(value.replace(/^[\0-\x20]+|[\t\n\r]+/g, ""));
}

function isFilled([, value]: Slot): boolean {
  return value !== undefined;
}

function knownOptions(config: DisplayConfig | null): Display["options"] {
  const given = config?.options ?? {};
  return Object.fromEntries(
    displayOptions.filter((name) => typeof given[name] === "boolean").map((name) => [name, given[name]]),
  );
}
