/** The letters of an avatar: the first letters of the first and last word of a name, or of an address. */
export function toInitials(name: string): string {
  const words = name
    .replace(/@.*/, "")
    .split(/[\s._-]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => /[\p{L}\p{N}]/u.exec(word ?? "")?.[0] ?? "",
  );
  return letters.join("").toUpperCase() || "?";
}
