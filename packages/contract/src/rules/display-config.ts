const cardSlots = ["title", "price", "image", "description", "url"] as const;
const cardOptions = ["showTitle", "showPrice", "showImage", "showDescription", "showAddToCart"] as const;

/**
 * The slots and options that each display type uses. `slots: null` means any name: the page's own renderer decides. A
 * `table` uses every name other than `rows` as a column. Settings that a type does not use are stored and ignored.
 */
export const displayTypes = {
  text: { slots: ["text"], options: [] },
  product_card: { slots: cardSlots, options: cardOptions },
  product_carousel: { slots: ["items", ...cardSlots], options: cardOptions },
  image: { slots: ["image", "title", "description"], options: [] },
  table: { slots: null, options: ["showHeader"] },
  buttons: { slots: ["title", "buttons", "label", "value", "url"], options: [] },
  form: { slots: [], options: [] },
  custom: { slots: null, options: [] },
} as const satisfies Record<string, { slots: readonly string[] | null; options: readonly string[] }>;
export type DisplayType = keyof typeof displayTypes;

/** Every option that some display type uses. */
export const displayOptions = [...cardOptions, "showHeader"] as const;

/** The type of a display that names none. */
export const DEFAULT_DISPLAY_TYPE = "text" satisfies DisplayType;

type Settings = { type?: DisplayType; fieldMappings?: object; options?: object };

/** The slots and options that the display stores but does not use, for a warning next to them. */
export function unusedDisplaySettings(display: Settings): { slots: string[]; options: string[] } {
  const known: { slots: readonly string[] | null; options: readonly string[] } =
    displayTypes[display.type ?? DEFAULT_DISPLAY_TYPE];
  const slots = Object.keys(display.fieldMappings ?? {});
  const options = Object.keys(display.options ?? {});
  return {
    slots: slots.filter((slot) => known.slots !== null && !known.slots.includes(slot)),
    options: options.filter((option) => !known.options.includes(option)),
  };
}
