const MAX_LENGTH = 80;

/** `A_B c` → `a-b-c`, `Ж` → `zh`; what leaves nothing becomes `agent`. */
export async function slugOf(name: string): Promise<string> {
  // Its tables are large, and only making or renaming an agent needs them.
  const { slugify } = await import("transliteration");
  const slug = slugify(name, { lowercase: true, separator: "-", allowedChars: "a-zA-Z0-9" });
  return slug.slice(0, MAX_LENGTH).replace(/^-+|-+$/g, "") || "agent";
}

/** The slug itself, or with the first free number from `-2` on. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 2; ; number++) {
    if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
  }
}
