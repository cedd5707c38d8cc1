import type { ShadowHost } from "../loader/shadow-host.ts";

/**
 * Keeps the panel within the area that a phone's on-screen keyboard leaves visible.
 * @returns a function that stops this
 */
export function followViewport({ setVariable }: ShadowHost): () => void {
  const viewport = globalThis.visualViewport;
  if (!viewport) return () => {};
  const follow = () => {
    setVariable("--seen-height", `${viewport.height}px`);
    setVariable("--seen-top", `${viewport.offsetTop}px`);
  };
  viewport.addEventListener("resize", follow);
  viewport.addEventListener("scroll", follow);
  follow();
  return () => {
    viewport.removeEventListener("resize", follow);
    viewport.removeEventListener("scroll", follow);
  };
}
