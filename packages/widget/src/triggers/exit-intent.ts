/** The pause that ends a swipe, in milliseconds, and how long the page may glide after the last touch. */
const SWIPE_GAP_MS = 150;
const GLIDE_MS = 1_500;
/** The minimum speed in pixels per millisecond. Visitors who scroll up to read again are slower. */
const FAST_PX_PER_MS = 1.5;

/**
 * Detects that the visitor is about to leave. With a mouse, the pointer leaves the viewport at any edge. Without one, a fast upward swipe over half a screen counts, because it brings the
 * browser's address bar back. Scrolling by scripts does not count.
 */
export function watchExit(onExit: () => void, signal: AbortSignal): void {
  const passive = { passive: true, signal };
  document.documentElement.addEventListener(
    "mouseleave",
    ({ buttons }) => {
      // Ignores drags, and the list of a select, which is a separate window.
      if (!buttons && !document.activeElement?.matches("select")) onExit();
    },
    passive,
  );
  let [movedAt, lastAt, lastTop, from, fromTop] = [-GLIDE_MS, 0, 0, 0, 0];
  addEventListener("touchmove", () => (movedAt = performance.now()), passive);
  addEventListener(
    "scroll",
    () => {
      const [at, top] = [performance.now(), scrollY];
      if (top >= lastTop || at - lastAt > SWIPE_GAP_MS) [from, fromTop] = [at, top];
      [lastAt, lastTop] = [at, top];
      const way = fromTop - top;
      if (at - movedAt < GLIDE_MS && way > innerHeight / 2 && way / (at - from) > FAST_PX_PER_MS) {
        [from, fromTop] = [at, top];
        onExit();
      }
    },
    passive,
  );
}
