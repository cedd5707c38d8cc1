import type { ShadowHost } from "../loader/shadow-host.ts";

/**
 * The events that never leave the widget, so that nothing on the page reacts to them: smooth scrolling, focus traps,
 * shortcuts, drop zones and copy protection. Pointer and click events do leave it, because pages close menus on them.
 * `focusin` ends in the loader, because the launcher has the focus before this code is loaded.
 */
const contained = {
  /** The widget has no listeners for these, so they end before the page's capturing listeners. */
  unheard:
    "wheel mousewheel touchstart touchmove touchend touchcancel focus contextmenu dblclick auxclick selectstart dragstart drag dragend copy cut compositionstart compositionupdate compositionend".split(
      " ",
    ),
  /** The widget listens to these, so they end at its host. */
  heard: ["focusout", "beforeinput", "input", "dragenter", "dragover", "dragleave", "drop"],
  /** These end before the page's capturing listeners, and the widget receives a copy. */
  copied: ["keydown", "keypress", "keyup", "paste"],
};

export function containEvents({ host }: Pick<ShadowHost, "host">, signal: AbortSignal): void {
  const isInside = (event: Event) => event.target === host;
  const end = (event: Event) => event.stopImmediatePropagation();
  const listen = (types: string[], listener: (event: Event) => void) => {
    // `passive` keeps scrolling independent of the page's code.
    const options = { capture: true, passive: true, signal };
    for (const type of types) addEventListener(type, (event) => isInside(event) && listener(event), options);
  };
  listen(contained.unheard, end);
  for (const type of contained.copied) {
    const onKey = (event: Event) => {
      // The copy does not leave the shadow root, so it never arrives here.
      if (!isInside(event)) return;
      end(event);
      if (!copyEvent(event as KeyboardEvent & ClipboardEvent)) event.preventDefault();
    };
    addEventListener(type, onKey, { capture: true, signal });
  }
  for (const type of contained.heard) {
    host.addEventListener(
      type,
      (event) => {
        event.stopPropagation();
        if (event instanceof DragEvent) refuseFiles(event);
      },
      { signal },
    );
  }
}

const properties = [
  "key",
  "code",
  "keyCode",
  "isComposing",
  "shiftKey",
  "ctrlKey",
  "altKey",
  "metaKey",
  "clipboardData",
] as const;

/**
 * Sends a copy of the event to the element that has the focus. The copy is a plain event, because Firefox lets every
 * keyboard event out of a shadow root. @returns false if a listener prevented its default
 */
function copyEvent(event: KeyboardEvent & ClipboardEvent): boolean {
  const copy = new Event(event.type, { bubbles: true, cancelable: event.cancelable });
  for (const name of properties) Object.defineProperty(copy, name, { value: event[name] });
  return event.composedPath()[0]?.dispatchEvent(copy) ?? true;
}

/** A browser would open a file that is dropped beside the fields for files, and leave the page. */
function refuseFiles(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
}
