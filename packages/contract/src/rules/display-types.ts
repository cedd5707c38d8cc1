const cardSlots = ["title", "price", "image", "description", "url"] as const;
const cardOptions = ["showTitle", "showPrice", "showImage", "showDescription", "showAddToCart"] as const;

type DisplayTypeDescriptor = {
  /** Slots filled from the result itself. */
  slots: readonly string[];
  /** The slot that takes a list from the result, and the slots that each entry of that list fills. */
  list?: { slot: string; entrySlots: readonly string[] };
  /**
   * Where the slots that the owner names get their values: from each entry of the list (a table's columns) or from the
   * result (a custom display).
   */
  ownSlots?: "result" | "entry";
  /** Parts that the owner can show or hide. */
  options: readonly string[];
};

/**
 * Every display type. The server fills these slots, the widget has one component for each type, and the dashboard
 * builds its editor and samples from this table. Settings that a type does not use are stored and ignored.
 */
export const displayTypes = {
  text: { slots: ["text"], options: [] },
  product_card: { slots: cardSlots, options: cardOptions },
  product_carousel: { slots: [], list: { slot: "items", entrySlots: cardSlots }, options: cardOptions },
  image: { slots: ["image", "title", "description"], options: [] },
  table: { slots: [], list: { slot: "rows", entrySlots: [] }, ownSlots: "entry", options: ["showHeader"] },
  buttons: { slots: ["title"], list: { slot: "buttons", entrySlots: ["label", "value", "url"] }, options: [] },
  form: { slots: [], options: [] },
  custom: { slots: [], ownSlots: "result", options: [] },
} as const satisfies Record<string, DisplayTypeDescriptor>;
export type DisplayType = keyof typeof displayTypes;

type AnyDescriptor = (typeof displayTypes)[DisplayType];
type ListOf<Descriptor> = Descriptor extends {
  list: infer List extends { slot: string; entrySlots: readonly string[] };
}
  ? List["slot"] | List["entrySlots"][number]
  : never;

/** Every slot of any display type, without slots that the owner names. */
export type DisplaySlot = AnyDescriptor["slots"][number] | ListOf<AnyDescriptor>;
/** Every option of any display type. */
export type DisplayOption = AnyDescriptor["options"][number];

export const displayOptions = [...cardOptions, "showHeader"] as const satisfies DisplayOption[];

/** The type of a display that does not name one. */
export const DEFAULT_DISPLAY_TYPE = "text" satisfies DisplayType;

/** The descriptor of a display type, with its optional members. */
export function describeDisplay(type: DisplayType): {
  slots: readonly DisplaySlot[];
  list?: { slot: DisplaySlot; entrySlots: readonly DisplaySlot[] };
  ownSlots?: "result" | "entry";
  options: readonly DisplayOption[];
} {
  return displayTypes[type];
}

/** The slots of a display type in mapping order, without those that the owner names. */
export function listSlots(type: DisplayType): DisplaySlot[] {
  const { slots, list } = describeDisplay(type);
  return list ? [...slots, list.slot, ...list.entrySlots] : [...slots];
}

type Settings = { type?: DisplayType; fieldMappings?: object; options?: object };

/** Slots and options that are stored but not used by the display's type, for a warning next to them. */
export function findUnusedSettings(display: Settings): { slots: string[]; options: string[] } {
  const type = display.type ?? DEFAULT_DISPLAY_TYPE;
  const { ownSlots, options } = describeDisplay(type);
  const usedSlots: string[] = listSlots(type);
  const usedOptions: readonly string[] = options;
  const slots = ownSlots ? [] : Object.keys(display.fieldMappings ?? {});
  return {
    slots: slots.filter((slot) => !usedSlots.includes(slot)),
    options: Object.keys(display.options ?? {}).filter((option) => !usedOptions.includes(option)),
  };
}
