import type { DisplayConfig, displayTypes } from "@foyer/contract";

type Type = NonNullable<DisplayConfig["type"]>;
type OptionName = keyof NonNullable<DisplayConfig["options"]>;
type SlotWords = { slot: string; label: string; isList?: true; isInList?: true; help?: string };
type Words = { name: string; line: string; slots: SlotWords[]; options: OptionName[] };

const inCard: SlotWords[] = [
  { slot: "title", label: "Title" },
  { slot: "price", label: "Price" },
  { slot: "image", label: "Image", help: "An https address" },
  { slot: "description", label: "Description" },
  { slot: "url", label: "Link" },
];
const cardOptions: OptionName[] = ["showTitle", "showPrice", "showImage", "showDescription", "showAddToCart"];

/** The ways to show a result, in words: the slots that each has, and what can be turned off in it. */
export const displayKinds = {
  text: {
    name: "Text",
    line: "A quiet line that the tool was used; what it said can be unfolded.",
    slots: [{ slot: "text", label: "Text", help: "Without a field: the whole result" }],
    options: [],
  },
  product_card: {
    name: "Product card",
    line: "One product with picture, name and price.",
    slots: inCard,
    options: cardOptions,
  },
  product_carousel: {
    name: "Product carousel",
    line: "Several products beside each other.",
    slots: [
      { slot: "items", label: "List of products", isList: true },
      ...inCard.map((slot) => ({ ...slot, isInList: true as const })),
    ],
    options: cardOptions,
  },
  image: {
    name: "Image",
    line: "A picture with a caption.",
    slots: [
      { slot: "image", label: "Image", help: "An https address" },
      { slot: "title", label: "Title" },
      { slot: "description", label: "Description" },
    ],
    options: [],
  },
  table: {
    name: "Table",
    line: "Rows and columns of a list.",
    slots: [{ slot: "rows", label: "List of rows", isList: true }],
    options: ["showHeader"],
  },
  buttons: {
    name: "Buttons",
    line: "Answers to choose from; each leads somewhere or says its value.",
    slots: [
      { slot: "title", label: "Title" },
      { slot: "buttons", label: "List of buttons", isList: true },
      { slot: "label", label: "Label", isInList: true },
      { slot: "value", label: "Value", isInList: true, help: "What it says for the visitor" },
      { slot: "url", label: "Link", isInList: true },
    ],
    options: [],
  },
  form: { name: "Form", line: "For form tools; other results show nothing.", slots: [], options: [] },
  custom: {
    name: "Custom",
    line: "Drawn by your own page: Foyer.registerRenderer gets the slots.",
    slots: [],
    options: [],
  },
} satisfies Record<keyof typeof displayTypes, Words> as Record<Type, Words>;

export const optionWords: Record<OptionName, { label: string; isOnByDefault: boolean }> = {
  showTitle: { label: "Title", isOnByDefault: true },
  showPrice: { label: "Price", isOnByDefault: true },
  showImage: { label: "Image", isOnByDefault: true },
  showDescription: { label: "Description", isOnByDefault: true },
  showAddToCart: { label: "“Add to cart” button", isOnByDefault: false },
  showHeader: { label: "Header row", isOnByDefault: true },
};
