/**
 * How far down the page stands, in percent of the way that it can be scrolled now. A page that fits the window is never
 * scrolled: 0. What scrolls within the page does not count.
 */
export function scrollDepth(page: Element | null = document.scrollingElement): number {
  const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = page ?? {};
  const way = scrollHeight - clientHeight;
  // A zoomed page ends at a fraction of a pixel, and a phone's bounces over its end.
  return way > 1 ? Math.min(100, (Math.max(0, scrollTop + 1) / way) * 100) : 0;
}
