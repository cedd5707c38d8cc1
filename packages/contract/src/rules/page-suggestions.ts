import { matchPage } from "./match-page.ts";

type Suggestions = {
  suggestions?: readonly string[] | null;
  pageSuggestions?: ReadonlyArray<{ page: string; suggestions: readonly string[] }> | null;
};

/**
 * The suggestions of an agent on a page before the first message: the first list whose pattern matches the path, or the
 * general list.
 */
export function chooseSuggestions({ suggestions, pageSuggestions }: Suggestions, path: string): readonly string[] {
  const ofPage = pageSuggestions?.find(({ page }) => matchPage(page, path));
  return ofPage?.suggestions ?? suggestions ?? [];
}
