const MAX_LENGTH = 80;

/** `A_B c` → `a-b-c`, `Ж` → `zh`. A name without usable characters becomes `agent`. */
export async function toSlug(name: string): Promise<string> {
  // Loaded on demand because its tables are large and only creating or renaming an agent needs them.
  const { slugify } = await import("transliteration");
  const slug = slugify(name, { lowercase: true, separator: "-", allowedChars: "a-zA-Z0-9" });
  return slug.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, "") || "agent";
}

/** Returns the slug itself if it is free, or the slug with the first free number, starting at `-2`. */
export function findFreeSlug(slug: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
