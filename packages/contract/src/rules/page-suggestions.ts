import { matchPage } from "./match-page.ts";

type Suggestions = {
  suggestions?: readonly string[] | null;
  pageSuggestions?: ReadonlyArray<{ page: string; suggestions: readonly string[] }> | null;
};

/** What an agent suggests on a page before the first message: the first list that matches the path, or the general one. */
export function suggestionsFor({ suggestions, pageSuggestions }: Suggestions, path: string): readonly string[] {
  const ofPage = pageSuggestions?.find(({ page }) => matchPage(page, path));
  return ofPage?.suggestions ?? suggestions ?? [];
}
