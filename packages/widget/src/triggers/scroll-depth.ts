/**
 * The scroll position in percent of the scrollable distance. It is 0 for a page that fits its window. Scrolling within
 * elements does not count.
 */
export function scrollDepth(page: Element | null = document.scrollingElement): number {
  const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = page ?? {};
  const way = scrollHeight - clientHeight;
  // A zoomed page can end at a fraction of a pixel, and phones scroll past the end and bounce back.
  return way > 1 ? Math.min(100, (Math.max(0, scrollTop + 1) / way) * 100) : 0;
}
