/** In milliseconds: a pause ends a swipe; so long after the finger moved the page may still glide. */
const PAUSE = 150;
const GLIDE = 1_500;
/** Pixels a millisecond. Reading again what stands above is slower. */
const FAST = 1.5;

/**
 * Tells when the visitor seems to leave: the mouse goes out at the top, where the address and the tabs are. Where there
 * is no mouse, by a fast swipe back up over half a screen, which brings the browser's bar back; not when a script scrolls.
 */
export function watchExit(tell: () => void, signal: AbortSignal): void {
  const passive = { passive: true, signal };
  document.documentElement.addEventListener(
    "mouseleave",
    ({ clientY, buttons }) => {
      // Not while something is dragged out, nor into the list of a select, which is a window of its own.
      if (clientY <= 0 && !buttons && !document.activeElement?.matches("select")) tell();
    },
    passive,
  );
  let [movedAt, lastAt, lastTop, from, fromTop] = [-GLIDE, 0, 0, 0, 0];
  addEventListener("touchmove", () => (movedAt = performance.now()), passive);
  addEventListener(
    "scroll",
    () => {
      const [at, top] = [performance.now(), scrollY];
      if (top >= lastTop || at - lastAt > PAUSE) [from, fromTop] = [at, top];
      [lastAt, lastTop] = [at, top];
      const way = fromTop - top;
      if (at - movedAt < GLIDE && way > innerHeight / 2 && way / (at - from) > FAST) {
        [from, fromTop] = [at, top];
        tell();
      }
    },
    passive,
  );
}
