import type { ShadowHost } from "../loader/shadow-host.ts";

/** Keeps the panel within what a phone's keyboard leaves to be seen. Returns how to stop. */
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
