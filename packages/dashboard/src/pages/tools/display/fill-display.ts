import type { Display } from "@foyer/contract";
import type { ToolDraft } from "../tool-draft.ts";
import { lookUp } from "./result-paths.ts";

type Slots = Record<string, unknown>;

/**
 * What a visitor would see of a result, for a preview of what is not saved yet. The server decides for real; it also leaves out images of hosts
 * that the agent does not allow.
 */
export function fillDisplay(result: unknown, { type, fieldMappings, options }: ToolDraft["displayConfig"]): Display {
  const paths = new Map(
    fieldMappings.filter(({ path }) => path.trim() !== "").map(({ slot, path }) => [slot, path.trim()]),
  );
  return { type, options, slots: withoutGaps(fill(type, result, paths)) };
}

const card = ["title", "price", "image", "description", "url"];

function fill(type: Display["type"], result: unknown, paths: Map<string, string>): Slots {
  const list = (slot: string) =>
    [paths.has(slot) ? lookUp(result, paths.get(slot) ?? "") : undefined, result].find((value) =>
      Array.isArray(value),
    ) as unknown[] | undefined;
  const all = (names: string[], data: unknown): Slots =>
    Object.fromEntries(
      names.map((name) => [name, scalar(name, paths.has(name) ? lookUp(data, paths.get(name) ?? "") : undefined)]),
    );
  switch (type) {
    case "text":
      return { text: asText(paths.has("text") ? lookUp(result, paths.get("text") ?? "") : result) };
    case "product_carousel":
      return { items: entries(list("items"), (item) => all(card, item)) };
    case "buttons":
      return {
        ...all(["title"], result),
        buttons: entries(list("buttons"), (item) =>
          paths.has("buttons") && typeof item !== "object"
            ? { label: item, value: item }
            : all(["label", "value", "url"], item),
        ),
      };
    case "table": {
      const columns = [...paths].filter(([name]) => name !== "rows");
      const rows = list("rows")?.filter((row) => typeof row === "object" && row !== null);
      const cells = (row: unknown) => columns.map(([, path]) => scalar("", lookUp(row, path)) ?? null);
      return columns.length > 0 && rows
        ? { columns: columns.map(([name]) => name), rows: rows.slice(0, 50).map(cells) }
        : {};
    }
    case "form":
      return {};
    default:
      return all(type === "custom" ? [...paths.keys()] : card, result);
  }
}

function entries(list: unknown[] | undefined, fillOne: (item: unknown) => Slots): Slots[] | undefined {
  return list
    ?.slice(0, 50)
    .map((item) => withoutGaps(fillOne(item)))
    .filter((item) => Object.keys(item).length > 0);
}

function scalar(slot: string, value: unknown): unknown {
  if (slot === "image")
    return typeof value === "string" && /^(https:\/\/|data:image\/)/.test(value) ? value : undefined;
  if (slot === "url") return typeof value === "string" && /^(https?:\/\/|mailto:)/.test(value) ? value : undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? value : undefined;
}

function asText(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function withoutGaps(slots: Slots): Slots {
  return Object.fromEntries(Object.entries(slots).filter(([, value]) => value !== undefined));
}
