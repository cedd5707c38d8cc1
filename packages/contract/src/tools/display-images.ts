import type { Display } from "./tool.ts";

/** Whether a client that shows this display would load an image from a remote server. */
export function hasRemoteImages({ slots }: Display): boolean {
  return isRemote(slots.image) || listItems(slots)?.some(({ image }) => isRemote(image)) === true;
}

/**
 * Removes images from other hosts. An empty list allows all hosts, because the owner mapped the display.
 * @param hosts like the `host` of a URL, with the port unless it is the scheme's default
 */
export function keepImagesFrom(display: Display, hosts: readonly string[]): Display {
  if (hosts.length === 0) return display;
  const kept = keep(display.slots, hosts);
  const items = listItems(kept)?.map((item) => keep(item, hosts));
  const slots = items ? { ...kept, items: items.filter((item) => Object.keys(item).length > 0) } : kept;
  return { ...display, slots };
}

type Slots = Record<string, unknown>;

function keep({ image, ...slots }: Slots, hosts: readonly string[]): Slots {
  if (image === undefined || (isRemote(image) && !hosts.includes(new URL(image).host))) return slots;
  return { ...slots, image };
}

/** Returns the entries of a carousel. `fillDisplay` ensures that they are objects. */
function listItems({ items }: Slots): Slots[] | undefined {
  return Array.isArray(items) ? items : undefined;
}

/** Images are either remote URLs or data URLs. */
function isRemote(image: unknown): image is string {
  return typeof image === "string" && !image.startsWith("data:");
}
