import type { Display } from "../tool.ts";

/** True when a client that shows this display would fetch an image from somewhere. */
export function hasRemoteImages({ slots }: Display): boolean {
  return isRemote(slots.image) || itemsOf(slots)?.some(({ image }) => isRemote(image)) === true;
}

/**
 * The display without the images of other hosts. No hosts at all means any host: a display shows what its owner mapped.
 * @param hosts as `host` of a URL has them, with a port that is not the scheme's own
 */
export function keepImagesFrom(display: Display, hosts: readonly string[]): Display {
  if (hosts.length === 0) return display;
  const kept = keep(display.slots, hosts);
  const items = itemsOf(kept)?.map((item) => keep(item, hosts));
  const slots = items ? { ...kept, items: items.filter((item) => Object.keys(item).length > 0) } : kept;
  return { ...display, slots };
}

type Slots = Record<string, unknown>;

function keep({ image, ...slots }: Slots, hosts: readonly string[]): Slots {
  if (image === undefined || (isRemote(image) && !hosts.includes(new URL(image).host))) return slots;
  return { ...slots, image };
}

/** What a carousel has; displayOf made it. */
function itemsOf({ items }: Slots): Slots[] | undefined {
  return Array.isArray(items) ? items : undefined;
}

/** The others are in the address itself. */
function isRemote(image: unknown): image is string {
  return typeof image === "string" && !image.startsWith("data:");
}
