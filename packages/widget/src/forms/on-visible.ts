/** Half of it, or of the room that there is for it. */
const ENOUGH = 0.5;

/** Calls back once, when an element can really be seen. Returns how to stop waiting. */
export function whenSeen(element: HTMLElement, then: () => void): () => void {
  const watcher = new IntersectionObserver(
    (entries) => {
      const isSeen = entries.some(({ isIntersecting, intersectionRect, boundingClientRect }) => {
        const room = Math.min(boundingClientRect.height, innerHeight) * ENOUGH;
        return isIntersecting && intersectionRect.height >= Math.min(room, MOST_PIXELS);
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

/** A panel is lower than the window: with this much of it nobody can miss a form. */
const MOST_PIXELS = 200;
