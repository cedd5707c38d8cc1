import { DEFAULT_DISPLAY_TYPE, type DisplayType, describeDisplay, displayOptions } from "../rules/display-types.ts";
import type { Display, DisplayConfig } from "./tool.ts";

/** Property names with a special meaning in JavaScript. They are valid neither as slots nor in paths. */
export const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Fills a display's slots from a tool's result. Visitors receive only these slots; the type `text` without a mapping
 * shows the whole result. A slot holds a string of at most 2,000 characters, a number, a boolean, or a list of at most
 * 50 objects (`items`, `buttons`) or rows. Values that a slot does not accept are left out, and `warn` receives one
 * sentence for each kind of omission.
 */
export function fillDisplay(
  result: unknown,
  config: DisplayConfig | null,
  warn: (message: string) => void = () => {},
): Display {
  const type = config?.type ?? DEFAULT_DISPLAY_TYPE;
  const mapped = Object.entries(config?.fieldMappings ?? {}).filter(([slot]) => !reservedNames.has(slot));
  const data = type === "text" ? result : parseStructured(result);
  const slots = fillers[type](data, { type, paths: new Map(mapped), warn: warnOnce(warn) });
  return { type, slots: Object.fromEntries(slots.filter(isFilled)), options: pickKnownOptions(config) };
}

/**
 * Returns the display of a result that only the visitor receives. Its text is expanded from the start, because the
 * agent cannot repeat it.
 */
export function displayForVisitorAlone(display: Display): Display {
  return display.type === "text" ? { ...display, options: { ...display.options, isOpen: true } } : display;
}

/** Reads a field by its dotted path. Only own properties and array positions count. */
export function lookUp(data: unknown, path: string | undefined): unknown {
  if (path === undefined) return undefined;
  let value = data;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || reservedNames.has(part)) return undefined;
    if (Array.isArray(value) ? !/^\d+$/.test(part) : !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/**
 * Parses a string that looks like JSON, because canned responses are stored as text. Anything else is returned
 * unchanged.
 */
export function parseStructured(result: unknown): unknown {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result)) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

type Mapping = { type: DisplayType; paths: ReadonlyMap<string, string>; warn: (message: string) => void };
type Slot = [name: string, value: unknown];
type EntryList = { slot: string; entrySlots: readonly string[] };

const maxItems = 50;
const maxColumns = 20;
const maxTextLength = 2_000;
const maxImageBytes = 102_400;

const fillers: Record<DisplayType, (data: unknown, mapping: Mapping) => Slot[]> = {
  text: fillText,
  product_card: fillDescribed,
  product_carousel: fillDescribed,
  image: fillDescribed,
  table: fillTable,
  buttons: fillDescribed,
  form: fillDescribed,
  custom: fillOwnSlots,
};

function fillText(data: unknown, { paths }: Mapping): Slot[] {
  return [["text", toText(paths.has("text") ? lookUp(data, paths.get("text")) : data)]];
}

/** Fills the slots of the type's descriptor: first those of the result, then the list. */
function fillDescribed(data: unknown, mapping: Mapping): Slot[] {
  const { slots, list } = describeDisplay(mapping.type);
  const filled = fillAll(slots, data, mapping);
  if (!list) return filled;
  const entries = findList(list.slot, data, mapping);
  return [...filled, [list.slot, fillEntries(entries, mapping, (entry) => fillEntry(list, entry, mapping))]];
}

/** A page's own renderer may do anything with its slots, so none of them may contain a URL that runs code. */
function fillOwnSlots(data: unknown, mapping: Mapping): Slot[] {
  const slots = fillAll([...mapping.paths.keys()], data, mapping);
  return slots.filter(([slot, value]) => slot === "image" || !isProgram(value));
}

function fillAll(slots: readonly string[], data: unknown, { paths, warn }: Mapping): Slot[] {
  return slots.map((slot) => {
    const path = paths.get(slot);
    const value = lookUp(data, path);
    const filled = fill(slot, value);
    if (path !== undefined && filled === undefined && value !== null) warn(describeOmission(slot, path, value));
    return [slot, filled];
  });
}

function describeOmission(slot: string, path: string, value: unknown): string {
  if (value === undefined) return `${slot} is empty: the result has no field ${path}.`;
  if (slot === "image") {
    return `image left out: ${path} is neither an https URL nor a PNG, JPEG, GIF or WebP data URL of at most 100 KB.`;
  }
  if (slot === "url") return `url left out: ${path} is not an http, https or mailto URL.`;
  return `${slot} left out: ${path} is a list or an object.`;
}

/** Passes each warning on only once, because every entry of a list can have the same problem. */
function warnOnce(warn: (message: string) => void) {
  const seen = new Set<string>();
  return (message: string) => {
    if (!seen.has(message)) warn(message);
    seen.add(message);
  };
}

/** Images and links accept only safe URLs, and every other slot only a scalar. */
function fill(slot: string, value: unknown): unknown {
  if (slot === "image") return toImageAddress(value);
  if (slot === "url") return linkAddress(value);
  return toScalar(value);
}

function fillEntries(
  list: unknown[] | undefined,
  { warn }: Mapping,
  fill: (entry: unknown) => Slot[],
): unknown[] | undefined {
  if (!list) warn("Nothing is shown: the result has no list at this path.");
  if (list && list.length > maxItems) warn(`Only the first ${maxItems} of ${list.length} entries are shown.`);
  return list
    ?.map((entry) => Object.fromEntries(fill(entry).filter(isFilled)))
    .filter((entry) => Object.keys(entry).length > 0)
    .slice(0, maxItems);
}

function fillEntry(list: EntryList, entry: unknown, mapping: Mapping): Slot[] {
  // Strings in a mapped list become buttons that send their own label.
  if (list.slot === "buttons" && mapping.paths.has("buttons") && isScalar(entry)) {
    return ["label", "value"].map((slot) => [slot, toScalar(entry)]);
  }
  return fillAll(list.entrySlots, entry, mapping);
}

function fillTable(data: unknown, mapping: Mapping): Slot[] {
  const columns = [...mapping.paths].filter(([name]) => name !== "rows").slice(0, maxColumns);
  const rows = findList("rows", data, mapping)?.filter((row) => typeof row === "object" && row !== null);
  if (columns.length === 0) mapping.warn("Nothing is shown: the table has no columns.");
  else if (!rows) mapping.warn("Nothing is shown: the result has no list of rows at this path.");
  else if (rows.length > maxItems) mapping.warn(`Only the first ${maxItems} of ${rows.length} rows are shown.`);
  if (columns.length === 0 || !rows) return [];
  const fillCells = (row: unknown) => columns.map(([, field]) => toScalar(lookUp(row, field)) ?? null);
  return [
    ["columns", columns.map(([header]) => header)],
    ["rows", rows.slice(0, maxItems).map(fillCells)],
  ];
}

/** The list to which a slot is mapped, or the result itself when it is a list. */
function findList(slot: string, data: unknown, { paths }: Mapping): unknown[] | undefined {
  return [lookUp(data, paths.get(slot)), data].find((value) => Array.isArray(value));
}

function toText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function toScalar(given: unknown): string | number | boolean | undefined {
  const value = isExactNumber(given) ? given.rawJSON : given;
  if (!isScalar(value)) return undefined;
  return typeof value === "string" ? cut(value) : value;
}

/** A number with its digits as the service sent them, such as 10.50. Only the server reads results so. */
function isExactNumber(value: unknown): value is { rawJSON: string } {
  return (JSON as { isRawJSON?(value: unknown): boolean }).isRawJSON?.(value) ?? false;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Cuts to 2,000 characters including `…`, without splitting a surrogate pair. */
function cut(value: string): string {
  if (value.length <= maxTextLength) return value;
  return `${value.slice(0, maxTextLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function linkAddress(value: unknown): string | undefined {
  return toWebAddress(value, ["https:", "http:", "mailto:"]);
}

function toImageAddress(value: unknown): string | undefined {
  const [, base64] =
    /^data:image\/(?:png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(typeof value === "string" ? value : "") ??
    [];
  if (base64 === undefined) return toWebAddress(value, ["https:"]);
  return countBase64Bytes(base64) <= maxImageBytes ? String(value) : undefined;
}

/** An absolute URL in the serialization of the URL standard, so that every client reads the same URL. */
function toWebAddress(value: unknown, schemes: string[]): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers skip them, which hides a scheme from a reader
  if (typeof value !== "string" || value.length > maxTextLength || /^\s|[\0-\x1f\x7f]/.test(value)) return undefined;
  const url = parseUrl(value);
  // A user name before the host can make a URL look like that of another site.
  if (!url || !schemes.includes(url.protocol) || url.username || url.password) return undefined;
  return url.href;
}

/** `URL.parse` is newer than some browsers that the widget and the dashboard support. */
function parseUrl(value: string): URL | null {
  try {
    return new URL(value);
  } catch {
    return null;
  }
}

function countBase64Bytes(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length * 3) / 4 - padding;
}

function isProgram(value: unknown): boolean {
  if (typeof value !== "string") return false;
  // Browsers skip these characters before and inside a scheme.
  return /^(javascript|vbscript):|^data:[^,]*,/i.test(value.replace(/^[\0-\x20]+|[\t\n\r]+/g, ""));
}

function isFilled([, value]: Slot): boolean {
  return value !== undefined;
}

function pickKnownOptions(config: DisplayConfig | null): Display["options"] {
  const given = config?.options ?? {};
  return Object.fromEntries(
    displayOptions.filter((name) => typeof given[name] === "boolean").map((name) => [name, given[name]]),
  );
}
