import { chooseAgentImage } from "../../loader/agent-images.ts";
import type { ShadowHost } from "../../loader/shadow-host.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";
import { isComposing } from "../../panel/keys.ts";
import css from "./bubble.css?inline";
import { closeLabels } from "./bubble-messages.ts";

export type Bubble = {
  remove(): void;
  /** Whether the visitor is hovering over the bubble or has the focus in it, in which case it must not disappear. */
  isHeld(): boolean;
};

/** The interval at which the bubble's time is checked, in milliseconds. */
const STEP_MS = 250;

/**
 * Shows a text beside the launcher until the visitor closes it or its `duration` is over: milliseconds in which it is
 * visible and not held. `onEnd` receives whether the visitor pressed it (true) or closed it.
 */
export function showBubble(
  core: WidgetCore,
  { message, duration, onEnd }: { message: string; duration: number | undefined; onEnd: (isWelcome: boolean) => void },
): Bubble {
  const { shadow, options, locale, signal } = core;
  const { frame, root, host } = shadow;
  if (!styled.has(shadow)) shadow.addStyles(css);
  styled.add(shadow);

  const box = createElement("div", "nudge", "bubble");
  if (!options.hasLauncher) box.classList.add("alone");
  // The live region must exist before its text changes, otherwise screen readers miss it. It never takes the focus.
  const news = createElement("div", "nudge-news");
  news.setAttribute("role", "status");
  const open = createElement("button", "nudge-open", "bubble-message");
  const who = createElement("span", "nudge-who");
  const avatar = chooseAgentImage(core, "avatar");
  if (avatar) who.append(Object.assign(new Image(), { alt: "", src: avatar }));
  who.append(Object.assign(document.createElement("bdi"), { textContent: core.title }));
  const text = createElement("span", "nudge-text");
  text.dir = "auto";
  text.textContent = message;
  open.append(who, text);
  const close = createElement("button", "nudge-close", "bubble-close");
  close.setAttribute("aria-label", closeLabels[locale]);
  close.title = closeLabels[locale];
  close.append(createCross());
  box.append(news);
  // Insert the bubble before the launcher, so that the Tab key reaches it first.
  frame.insertBefore(box, frame.querySelector(".launcher"));
  requestAnimationFrame(() => {
    news.append(open);
    box.append(close);
  });

  const life = new AbortController();
  const isHeld = () => box.matches(":hover, :focus-within");
  const remove = () => {
    if (life.signal.aborted) return;
    const hadFocus = box.contains(root.activeElement);
    life.abort();
    clearInterval(timer);
    box.remove();
    if (hadFocus) frame.querySelector<HTMLElement>(".launcher")?.focus({ preventScroll: true });
  };
  const end = (isWelcome: boolean) => {
    remove();
    onEnd(isWelcome);
  };
  let left = duration ?? Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    if (!isHeld() && !document.hidden && !host.hidden) left -= STEP_MS;
    if (left <= 0) remove();
  }, STEP_MS);
  open.addEventListener("click", () => end(true));
  close.addEventListener("click", () => end(false));
  const onKeyDown = (event: KeyboardEvent) =>
    event.key === "Escape" && !event.defaultPrevented && !isComposing(event) && end(false);
  // Once the chat has loaded, keys that are pressed in the widget do not reach the window.
  box.addEventListener("keydown", onKeyDown);
  addEventListener("keydown", onKeyDown, { signal: life.signal });
  signal.addEventListener("abort", remove, { signal: life.signal });
  return { remove, isHeld };
}

const styled = new WeakSet<ShadowHost>();

function createElement<Tag extends "div" | "span" | "button">(tag: Tag, className: string, part?: string) {
  const made = document.createElement(tag);
  made.className = className;
  if (part) made.setAttribute("part", part);
  if (made instanceof HTMLButtonElement) made.type = "button";
  return made as HTMLElementTagNameMap[Tag];
}

function createCross() {
  const svg = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(svg, "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", "M7 7l10 10M17 7L7 17");
  icon.append(path);
  return icon;
}
