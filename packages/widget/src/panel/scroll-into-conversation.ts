/**
 * Scrolls the conversation, and nothing else, until an element is visible. `scrollIntoView` would also scroll the panel
 * and the page, where visitors cannot scroll back.
 *
 * @param block as in `scrollIntoView`; `whole` is `start` for an element that is taller than the view, otherwise
 * `nearest`
 */
export function scrollIntoConversation(
  element: Element | null | undefined,
  block: "start" | "nearest" | "whole",
): void {
  const scroller = element?.closest(".scroll");
  if (!element || !scroller) return;
  const [inner, outer] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
  const toTop = inner.top - outer.top;
  const toBottom = inner.bottom - outer.bottom;
  if (block === "start" || (block === "whole" && inner.height > outer.height)) scroller.scrollTop += toTop;
  else if (toTop < 0 && toBottom < 0) scroller.scrollTop += Math.max(toTop, toBottom);
  else if (toTop > 0 && toBottom > 0) scroller.scrollTop += Math.min(toTop, toBottom);
}
