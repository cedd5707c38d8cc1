/** A name as tools have it, of what somebody writes: `Stock look-up` is `stock_look_up`. Digits cannot be in it. */
export function toToolName(text: string): string {
  return plain(text)
    .replace(/[^a-z]+/g, "_")
    .replace(/^_+/, "")
    .slice(0, 64);
}

/** A form field's name of its label: `Preferred day` is `preferred_day`. */
export function toFieldName(label: string): string {
  return plain(label)
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
}

/** The name, or with a number at its end where others have it already. */
export function uniqueName(wanted: string, others: readonly string[]): string {
  if (!others.includes(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted}_${number}`;
    if (!others.includes(name)) return name;
  }
}

function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replace(/['’]/g, "").toLowerCase();
}
