export type EnumType = "string" | "number" | "integer";

/** Allowed values in one line; what has a comma in it, or spaces around it, stands in quotes. */
export function enumText(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const write = (value: unknown) => {
    const text = String(value);
    return typeof value === "string" && (text === "" || /[,"]|^\s|\s$/.test(text)) ? JSON.stringify(text) : text;
  };
  return values.map(write).join(", ");
}

/** The values of such a line, each once; `undefined` when there are none. What is no number stays a text, for the server to refuse. */
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
