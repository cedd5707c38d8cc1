const MAX_LENGTH = 80;

/** `A_B c` → `a-b-c`, `Ж` → `zh`. A name without usable characters becomes `agent`. */
export async function slugOf(name: string): Promise<string> {
  // Loaded on demand because its tables are large and only creating or renaming an agent needs them.
  const { slugify } = await import("transliteration");
  const slug = slugify(name, { lowercase: true, separator: "-", allowedChars: "a-zA-Z0-9" });
  return slug.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, "") || "agent";
}

/** The slug itself, or the slug with the first free number, starting at `-2`. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number++) {
    if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
  }
}
