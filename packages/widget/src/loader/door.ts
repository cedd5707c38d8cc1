import type { Launcher } from "./launcher.ts";
import { loadPart } from "./load-part.ts";
import type { OpenRequest, Panel, WidgetCore } from "./widget-core.ts";

/** Opens and closes the chat. */
export type Door = {
  readonly isOpen: boolean;
  /** Loads the panel when it is needed first. Resolves when it is seen, or could not be loaded. */
  open(request?: OpenRequest): Promise<void>;
  close(options?: { byVisitor?: boolean }): void;
};

/** Below this there is no room for a page beside the panel. */
const SMALL_SCREEN = "(max-width: 480px)";

export function createDoor(base: Omit<WidgetCore, "door">, addLauncher: (press: () => void) => Launcher | null): Door {
  const { hub, memory, options } = base;
  let panel: Promise<Panel> | null = null;
  let isOpen = false;
  /** What was asked for last; loading takes a while. */
  let isWanted = false;
  let isDestroyed = false;

  const remember = (wasOpened: boolean, byVisitor: boolean) => {
    if (!byVisitor) return;
    memory.write("session", "open", wasOpened);
    hub.emit("interaction");
  };
  const load = () => {
    panel ??= loadPart(base, "panel").then(({ mountPanel }) => mountPanel({ ...base, door }));
    return panel;
  };
  const door: Door = {
    get isOpen() {
      return isOpen;
    },
    async open(request = {}) {
      remember(true, request.byVisitor === true);
      isWanted = true;
      launcher?.setBusy(true);
      try {
        const loaded = await load();
        if (isDestroyed) return loaded.destroy();
        if (!isWanted) return;
        const wasOpen = isOpen;
        isOpen = true;
        loaded.open(request);
        if (!wasOpen) hub.emit("open");
      } catch {
        // The next press tries again.
        panel = null;
      } finally {
        launcher?.setBusy(false);
      }
    },
    close({ byVisitor = false } = {}) {
      isWanted = false;
      if (!isOpen) return;
      isOpen = false;
      remember(false, byVisitor);
      panel?.then((loaded) => loaded.close());
      hub.emit("close");
      if (byVisitor) launcher?.focus();
    },
  };
  const launcher = addLauncher(() => {
    if (isOpen) door.close({ byVisitor: true });
    else void door.open({ byVisitor: true });
  });
  hub.on("destroy", () => {
    isDestroyed = true;
    panel?.then(
      (loaded) => loaded.destroy(),
      () => {},
    );
  });
  // A page under a panel that covers it would be lost on a phone.
  if (!matchMedia(SMALL_SCREEN).matches) {
    const wasOpen = memory.read("session", "open");
    if (wasOpen === true || (options.isOpen && wasOpen !== false)) void door.open();
  }
  return door;
}
