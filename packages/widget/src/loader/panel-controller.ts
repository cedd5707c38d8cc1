import { SMALL_SCREEN } from "../panel/small-screen.ts";
import type { Launcher } from "./launcher.ts";
import { loadPart } from "./load-part.ts";
import type { Panel, PanelController, WidgetCore } from "./widget-core.ts";

/** Creates the controller, and the launcher that opens the panel. */
export function createPanelController(
  base: Omit<WidgetCore, "panel">,
  addLauncher: (press: () => void) => Launcher | null,
): PanelController {
  const { bus, storage, options } = base;
  let loading: Promise<Panel> | null = null;
  let isOpen = false;
  /**
   * Whether the panel should be open. The latest request decides, because the visitor may close the panel while it is
   * still loading.
   */
  let isWanted = false;
  let isDestroyed = false;

  const saveOpen = (wasOpened: boolean, byVisitor: boolean) => {
    if (!byVisitor) return;
    storage.write("session", "open", wasOpened);
    bus.emit("interaction");
  };
  const load = () => {
    loading ??= loadPart(base, "panel").then(({ mountPanel }) => mountPanel({ ...base, panel: controller }));
    return loading;
  };
  const controller: PanelController = {
    get isOpen() {
      return isOpen;
    },
    async open(request = {}) {
      saveOpen(true, request.byVisitor === true);
      isWanted = true;
      launcher?.setBusy(true);
      try {
        const panel = await load();
        if (isDestroyed) return panel.destroy();
        if (!isWanted) return;
        const wasOpen = isOpen;
        isOpen = true;
        panel.open(request);
        if (!wasOpen) bus.emit("open");
      } catch {
        // Reset the promise, so that the next click tries again.
        loading = null;
      } finally {
        launcher?.setBusy(false);
      }
    },
    close({ byVisitor = false } = {}) {
      isWanted = false;
      if (!isOpen) return;
      isOpen = false;
      saveOpen(false, byVisitor);
      loading?.then((panel) => {
        // The panel was opened again in the meantime.
        if (isOpen) return;
        panel.close(byVisitor);
        // The focus moves only now, because the launcher cannot receive it while the panel covers it on a phone.
        if (byVisitor) launcher?.focus();
      });
      bus.emit("close");
    },
  };
  const launcher = addLauncher(() => {
    if (isOpen) controller.close({ byVisitor: true });
    else void controller.open({ byVisitor: true });
  });
  bus.on("destroy", () => {
    isDestroyed = true;
    loading?.then(
      (panel) => panel.destroy(),
      () => {},
    );
  });
  // Load the chat, because the team may have answered since the last page.
  if (storage.read("local", "handoff")) load().catch(() => (loading = null));
  // On a small screen, the panel covers the page, so it must not open automatically.
  if (!matchMedia(SMALL_SCREEN).matches) {
    const wasOpen = storage.read("session", "open");
    if (wasOpen === true || (options.isOpen && wasOpen !== false)) void controller.open();
  }
  return controller;
}
