import { useRef } from "react";

/**
 * Returns the focus to where it was before a dialog opened. Radix does that only for dialogs opened by its own trigger.
 * @returns the dialog content's `onCloseAutoFocus`
 */
export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const opener = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  // Read while rendering: `autoFocus` inside the dialog moves the focus before any effect runs.
  if (isOpen && !wasOpen.current) opener.current = findOutlivingOpener(document.activeElement);
  wasOpen.current = isOpen;
  return (event) => {
    event.preventDefault();
    if (opener.current instanceof HTMLElement) opener.current.focus();
    // If the dialog deleted the opener, or if the opener is disabled, it cannot receive the focus.
    if (document.activeElement !== opener.current) document.getElementById("main")?.focus({ preventScroll: true });
  };
}

/** A menu item is removed together with its menu, so return the focus to the menu's button. */
function findOutlivingOpener(element: Element | null): Element | null {
  const trigger = element?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return trigger ? document.getElementById(trigger) : element;
}
