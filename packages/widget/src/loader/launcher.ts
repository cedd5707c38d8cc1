import type { LauncherMessages } from "../locales/launcher-messages.ts";
import type { EventBus } from "./event-bus.ts";
import { type LauncherIcon, launcherIcons } from "./launcher-icons.ts";
import type { ShadowHost } from "./shadow-host.ts";

export type Launcher = ReturnType<typeof createLauncher>;

const chevronDown = ["M6 9.5l6 6 6-6"];

type LauncherOptions = {
  label: string | null | undefined;
  icon: LauncherIcon;
  /** The URL of an image that replaces the icon. */
  image: string | null;
  onPress: () => void;
};

/**
 * The button in the corner. Its accessible name says what a click does, and a badge counts the replies that arrived
 * while the chat was closed.
 */
// biome-ignore lint/complexity/useMaxParams: an object would make widget.js exceed its size limit
export function createLauncher(
  { frame }: ShadowHost,
  bus: EventBus,
  messages: LauncherMessages,
  { label, icon: iconName, image, onPress }: LauncherOptions,
) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = label ? "launcher labeled" : "launcher";
  button.setAttribute("part", "launcher");
  button.addEventListener("click", onPress);
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("viewBox", "0 0 24 24");
  icon.setAttribute("aria-hidden", "true");
  const dot = document.createElement("span");
  dot.className = "dot";
  dot.hidden = true;
  button.append(icon, dot);
  const picture = image ? createImage(image, () => show()) : null;
  if (picture) button.prepend(picture);
  if (label) {
    const text = document.createElement("span");
    text.className = "label";
    text.textContent = label;
    text.dir = "auto";
    button.insertBefore(text, dot);
  }
  frame.append(button);

  let isOpen = false;
  let news = "";
  const show = () => {
    draw(icon, isOpen ? chevronDown : picture?.isConnected ? [] : launcherIcons[iconName]);
    button.classList.toggle("open", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
    // The accessible name has to contain the visible label, for speech input.
    const says = isOpen ? [messages.close] : [label, messages.open, news];
    button.setAttribute("aria-label", says.filter(Boolean).join(". "));
  };
  bus.on("open", () => {
    isOpen = true;
    show();
  });
  bus.on("close", () => {
    isOpen = false;
    show();
  });
  bus.on("unread", ({ count, label }) => {
    news = label;
    dot.hidden = !count;
    dot.textContent = `${count}`;
    show();
  });
  show();

  return {
    focus: () => button.focus(),
    setBusy: (isBusy: boolean) => button.setAttribute("aria-busy", String(isBusy)),
  };
}

function draw(icon: SVGElement, paths: readonly string[]) {
  const shapes = paths.map((d) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", d);
    return path;
  });
  icon.replaceChildren(...shapes);
}

/** A page's Content Security Policy may block the image, in which case the icon replaces it. */
function createImage(src: string, onFailure: () => void) {
  const picture = document.createElement("img");
  picture.alt = "";
  picture.addEventListener("error", () => {
    picture.remove();
    onFailure();
  });
  picture.src = src;
  return picture;
}
