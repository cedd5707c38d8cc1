export type EnumType = "string" | "number" | "integer";

/** Formats allowed values as one line. Values with commas or surrounding spaces are quoted. */
export function enumText(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const write = (value: unknown) => {
    const text = String(value);
    return typeof value === "string" && (text === "" || /[,"]|^\s|\s$/.test(text)) ? JSON.stringify(text) : text;
  };
  return values.map(write).join(", ");
}

/**
 * Parses such a line into unique values, or `undefined` if it is empty. Text that is not a number stays text, so the
 * server rejects it.
 */
export function readEnum(line: string, type: EnumType): Array<string | number> | undefined {
  const words = line.match(/\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g) ?? [];
  const values = words.map((word) => read(word.trim(), type)).filter((value) => value !== null);
  return values.length > 0 ? [...new Set(values)] : undefined;
}

function read(word: string, type: EnumType): string | number | null {
  if (word === "") return null;
  if (type !== "string" && Number.isFinite(Number(word))) return Number(word);
  if (!/^".*"$/.test(word)) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word;
  }
}
