/** Half of the element, or of the window if the element is taller. */
const MIN_VISIBLE_SHARE = 0.5;

/** Calls back once, when an element is visible. @returns a function that cancels the wait */
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

/** The panel is shorter than the window, so this many visible pixels are enough for a tall form. */
const SUFFICIENT_PX = 200;
