/** Whether every word of the search is in the entry's text, or the search is the entry's whole id. */
export function isMatch({ id, words }: { id: string; words: string }, search: string): boolean {
  const text = words.toLowerCase();
  return (
    id === search ||
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}
