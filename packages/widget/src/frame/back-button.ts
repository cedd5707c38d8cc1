/** The state of the frame's history entry that represents the open panel. */
const OPEN = "open";

/**
 * Lets the phone's Back button close a panel that covers the page, instead of leaving the site. While the panel is
 * open, the browser's history has one more entry. It belongs to an empty frame in the widget, so neither opening nor
 * going back is a navigation of the page, and no router sees it: not by `popstate`, not by a replaced `pushState`, and
 * not by the Navigation API. `onForward` is called when the visitor goes forward to the entry.
 */
export function createBackButton(
  place: HTMLElement,
  { onBack, onForward }: { onBack: () => void; onForward: () => void },
) {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  // The first, empty document of a frame cannot get further entries.
  frame.srcdoc = "<p>";
  let isOpen = false;
  let isClosing = false;
  /** The page's own entry below the panel's. */
  let pageEntry: unknown;

  const frameHistory = () => frame.contentWindow?.history;
  const isAtPanel = () => frameHistory()?.state === OPEN;
  const addEntry = () => {
    if (!isOpen || isAtPanel()) return;
    frameHistory()?.pushState(OPEN, "");
    pageEntry = currentEntry();
  };
  const onPopState = () => {
    if (isAtPanel()) return onForward();
    if (isClosing) {
      isClosing = false;
      // The visitor has opened the panel again in the meantime.
      addEntry();
    } else if (isOpen) {
      isOpen = false;
      onBack();
      // Tools that drive a browser wait for a navigation of the page after they have pressed Back. Visitors are spared
      // it, because a router on the Navigation API would render the page again.
      if (navigator.webdriver) History.prototype.replaceState.call(history, history.state, "");
    } else {
      // The page has moved on while the panel was open, and the visitor has come back to where it was opened.
      frameHistory()?.back();
    }
  };
  // A frame that is moved with the widget loads again.
  frame.addEventListener("load", () => {
    frame.contentWindow?.addEventListener("popstate", onPopState);
    addEntry();
  });

  return {
    opened(): void {
      isOpen = true;
      if (!frame.isConnected) place.append(frame);
      else if (frame.contentDocument?.readyState === "complete") addEntry();
    },
    /**
     * Going back is asynchronous and would undo a navigation by the site's own code, so this runs only when the visitor
     * closes the panel, and the page has not moved.
     */
    closed(byVisitor: boolean): void {
      if (isOpen && byVisitor && isAtPanel() && pageEntry === currentEntry()) {
        isClosing = true;
        frameHistory()?.back();
      }
      isOpen = false;
    },
    destroy: (): void => frame.remove(),
  };
}

/** Identifies the page's history entry. Without the Navigation API, a page that replaces its state counts as moved. */
const currentEntry = (): unknown => globalThis.navigation?.currentEntry?.key ?? history.state;
