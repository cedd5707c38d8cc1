/** A visitor within this many pixels of the end keeps following it as content arrives. */
export const END_TOLERANCE_PX = 80;

type Scroller = Pick<HTMLElement, "scrollTop" | "scrollHeight" | "clientHeight">;

/** Decides from the scroll events of the conversation whether the visitor follows its end. */
export function createEndTracker() {
  let isFollowing = true;
  let lastTop = 0;
  return {
    isFollowing: () => isFollowing,
    /** The panel scrolled to the end. */
    follow(scroller: Scroller): void {
      isFollowing = true;
      lastTop = scroller.scrollTop;
    },
    /** The panel scrolled by itself, such as to the top of a form. Its scroll event says nothing about the visitor. */
    movedBy(scroller: Scroller): void {
      lastTop = scroller.scrollTop;
    },
    /**
     * Call on every scroll event. Content that grew since the last one also moves the end away, and WebKit reports that
     * scroll after the content grew, so only scrolling up counts as leaving the end.
     */
    onScroll({ scrollTop, scrollHeight, clientHeight }: Scroller): void {
      const isAtEnd = scrollHeight - clientHeight - scrollTop < END_TOLERANCE_PX;
      if (isAtEnd || scrollTop < lastTop) isFollowing = isAtEnd;
      lastTop = scrollTop;
    },
  };
}
