import type { MountPanel } from "./widget-core.ts";

/** The panel's file, whose name changes with what is in it; the build puts it here. */
declare const PANEL_FILE: string;

/**
 * Fetches the panel. When a page stayed open longer than the server's version, its file is gone: then the current one
 * is taken. A module that failed once is never fetched again under the same address, hence the number.
 */
export async function loadPanel(baseUrl: string): Promise<MountPanel> {
  const load = (file: string): Promise<{ mountPanel: MountPanel }> =>
    import(/* @vite-ignore */ `${baseUrl}/widget/${file}`);
  const panel = await load(PANEL_FILE).catch(() => load(`panel.js?${++attempts}`));
  return panel.mountPanel;
}

let attempts = 0;
