import { useEffect } from "react";

/** Shows a count in front of the document's title, which each page sets: "(2) Conversations · Foyer". */
export function useCountInTitle(count: number): void {
  useEffect(() => {
    const element = document.querySelector("title");
    const show = () => {
      const bare = document.title.replace(/^\(\d+\) /, "");
      const wanted = count > 0 ? `(${count}) ${bare}` : bare;
      if (document.title !== wanted) document.title = wanted;
    };
    show();
    if (!element) return;
    const observer = new MutationObserver(show);
    observer.observe(element, { childList: true });
    return () => observer.disconnect();
  }, [count]);
}
