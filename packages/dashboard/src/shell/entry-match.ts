/** Whether the entry's text contains every word of the search, or the search is the entry's complete id. */
export function isMatch({ id, keywords }: { id: string; keywords: string }, search: string): boolean {
  const text = keywords.toLowerCase();
  return (
    id === search ||
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
