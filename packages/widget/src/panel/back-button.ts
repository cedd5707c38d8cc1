/** Marks the history entry that represents the open panel. */
const MARK = "foyerPanel";

/**
 * Lets the phone's Back button close a panel that covers the page, instead of leaving the site. While the panel is
 * open, the history has an additional entry for the same address. The state of the site's own entries is kept.
 */
export function createBackButton(onBack: () => void) {
  let isOpen = false;
  const isMarked = () => Boolean((history.state as Record<string, unknown> | null)?.[MARK]);
  const onPopState = () => {
    if (!isOpen || isMarked()) return;
    isOpen = false;
    onBack();
  };
  addEventListener("popstate", onPopState);
  return {
    opened(): void {
      isOpen = true;
      if (!isMarked()) history.pushState({ ...history.state, [MARK]: true }, "");
    },
    /**
     * Going back is asynchronous and would undo a navigation by the site's own code, so this runs only when the visitor
     * closes the panel.
     */
    closed(byVisitor: boolean): void {
      if (isOpen && byVisitor && isMarked()) history.back();
      isOpen = false;
    },
    destroy: (): void => removeEventListener("popstate", onPopState),
  };
}
