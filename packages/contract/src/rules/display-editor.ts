import type { DisplayOption, DisplaySlot, DisplayType } from "./display-types.ts";

/** The editor's name and description of each display type, in the order in which they are offered. */
export const displayEditors: Record<DisplayType, { name: string; line: string }> = {
  text: { name: "Text", line: "A line that says that the tool was used. Visitors can expand it to read the text." },
  product_card: { name: "Product card", line: "One product with its image, name and price." },
  product_carousel: { name: "Product carousel", line: "Several products side by side." },
  image: { name: "Image", line: "An image with a caption." },
  table: { name: "Table", line: "The rows and columns of a list." },
  buttons: { name: "Buttons", line: "Choices for the visitor. Each opens a link or sends its value as a message." },
  form: { name: "Form", line: "For form tools. Results of other tools show nothing." },
  custom: { name: "Custom", line: "Rendered by your site: Foyer.registerRenderer receives the slots." },
};

/** The editor's label of each slot. `samples` are preview values for three entries, used until a result is known. */
export const slotEditors: Record<DisplaySlot, { label: string; help?: string; samples?: readonly string[] }> = {
  text: { label: "Text", help: "Leave it empty to show the whole result" },
  title: { label: "Title", samples: ["City One", "Tourer 7", "Harbour E"] },
  price: { label: "Price", samples: ["690 €", "1,190 €", "2,490 €"] },
  image: { label: "Image", help: "An https URL" },
  description: {
    label: "Description",
    samples: ["Light, with eight gears and a rack.", "For long days, with a hub dynamo.", "With a motor for headwind."],
  },
  url: { label: "Link", samples: ["https://example.com/1", "https://example.com/2", "https://example.com/3"] },
  items: { label: "List of products" },
  rows: { label: "List of rows" },
  buttons: { label: "List of buttons" },
  label: { label: "Label", samples: ["Book a test ride", "Opening hours", "Talk to us"] },
  value: {
    label: "Value",
    help: "The message that the button sends for the visitor",
    samples: ["I would like a test ride", "When are you open?", "I would like to talk to someone"],
  },
};

/** The editor's label of each option, and its default. */
export const optionEditors: Record<DisplayOption, { label: string; isOnByDefault: boolean }> = {
  showTitle: { label: "Title", isOnByDefault: true },
  showPrice: { label: "Price", isOnByDefault: true },
  showImage: { label: "Image", isOnByDefault: true },
  showDescription: { label: "Description", isOnByDefault: true },
  showAddToCart: { label: "“Add to cart” button", isOnByDefault: false },
  showHeader: { label: "Header row", isOnByDefault: true },
};
