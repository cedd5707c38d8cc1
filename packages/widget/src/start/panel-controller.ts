import type { Launcher } from "../loader/launcher.ts";
import type { PageCore, Panel, PanelController } from "../loader/widget-core.ts";
import { SMALL_SCREEN } from "../panel/small-screen.ts";
import { loadPart } from "./load-part.ts";

/** Creates the controller, and the launcher that opens the panel. */
export function createPanelController(
  base: Omit<PageCore, "panel">,
  addLauncher: (press: () => void) => Launcher | null,
): PanelController {
  const { bus, storage, options, shadow } = base;
  let loading: Promise<Panel> | null = null;
  let isOpen = false;
  /**
   * Whether the panel should be open. The latest request decides, because the visitor may close the panel while it is
   * still loading.
   */
  let isWanted = false;
  let isDestroyed = false;
  /** Shown while the panel loads for the first time. */
  const outline = document.createElement("div");
  outline.className = "panel-outline";
  outline.setAttribute("aria-hidden", "true");

  const saveOpen = (wasOpened: boolean, byVisitor: boolean) => {
    if (!byVisitor) return;
    storage.write("session", "open", wasOpened);
    bus.emit("interaction");
  };
  const mount = async () => {
    const [{ mountPanel }, visitor] = await Promise.all([loadPart(base, "panel"), base.loadVisitor()]);
    return mountPanel({ ...base, visitor, panel: controller });
  };
  const load = () => (loading ??= mount());
  const controller: PanelController = {
    get isOpen() {
      return isOpen;
    },
    async open(request = {}) {
      saveOpen(true, request.byVisitor === true);
      isWanted = true;
      launcher?.setBusy(true);
      if (!isOpen) shadow.frame.prepend(outline);
      try {
        const panel = await load();
        if (isDestroyed) return panel.destroy();
        if (!isWanted) return;
        const wasOpen = isOpen;
        isOpen = true;
        if (!wasOpen) shadow.settle();
        panel.open(request);
        if (!wasOpen) bus.emit("open");
      } catch {
        // Reset the promise, so that the next click tries again.
        loading = null;
        isWanted = false;
      } finally {
        launcher?.setBusy(false);
        // The panel appears in the next frame.
        requestAnimationFrame(() => outline.remove());
      }
    },
    close({ byVisitor = false } = {}) {
      isWanted = false;
      outline.remove();
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
    if (isWanted) controller.close({ byVisitor: true });
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
