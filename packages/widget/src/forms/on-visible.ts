/** The share of the element, or of the window if the element is taller, that has to be visible. */
const MIN_VISIBLE_SHARE = 0.5;

/** Calls back once, when an element is visible. @returns a function that stops watching */
export function onVisible(element: HTMLElement, then: () => void): () => void {
  const watcher = new IntersectionObserver(
    (entries) => {
      const isSeen = entries.some(({ isIntersecting, intersectionRect, boundingClientRect }) => {
        const room = Math.min(boundingClientRect.height, innerHeight) * MIN_VISIBLE_SHARE;
        return isIntersecting && intersectionRect.height >= Math.min(room, SUFFICIENT_PX);
      });
      if (!isSeen) return;
      watcher.disconnect();
      then();
    },
    { threshold: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1] },
  );
  watcher.observe(element);
  return () => watcher.disconnect();
}

/** The number of visible pixels that is enough for a tall form, because the panel is shorter than the window. */
const SUFFICIENT_PX = 200;
