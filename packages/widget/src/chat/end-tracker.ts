/** The distance from the end, in pixels, up to which the visitor still follows it as content arrives. */
export const END_TOLERANCE_PX = 80;

type Scroller = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** Decides from the scroll events of the conversation whether the visitor follows its end. */
export function createEndTracker() {
  let isFollowing = true;
  let lastTop = 0;
  return {
    isFollowing: () => isFollowing,
    /**
     * Call this after the panel itself has scrolled to the end, or to the top of a form there. The scroll event that
     * follows then does not count as one of the visitor's.
     */
    follow(scroller: Scroller): void {
      isFollowing = true;
      lastTop = scroller.scrollTop;
    },
    /**
     * Call this on every scroll event. Content that was added since the last event also moves the end away, and WebKit
     * reports the scroll after the content was added, so only scrolling up counts as leaving the end.
     */
    onScroll({ scrollTop, scrollHeight, clientHeight }: Scroller): void {
      const isAtEnd = scrollHeight - clientHeight - scrollTop < END_TOLERANCE_PX;
      if (isAtEnd || scrollTop < lastTop) isFollowing = isAtEnd;
      lastTop = scrollTop;
    },
  };
}
