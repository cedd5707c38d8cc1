import type { FoyerApi, Identity } from "./foyer-api.ts";

/** What the script tag's `data-*` can say, for pages that are made by a program. */
export type LoadOptions = {
  /** The server's address, such as `https://chat.example.com`; it serves the widget that fits it. */
  baseUrl: string;
  agentId: string;
  identity?: Identity;
  consent?: "given" | "required";
  theme?: "auto" | "light" | "dark";
  locale?: string;
  position?: "left" | "right";
  accentColor?: string;
  title?: string;
  greeting?: string;
  launcherLabel?: string;
  launcherIcon?: "chat" | "message" | "question" | "sparkle" | "lamp";
  /** Distance of the launcher from the side and the bottom of the window, in pixels. Default: 20. */
  offsetX?: number;
  offsetY?: number;
  /** `false`: no button in the corner; the page opens the chat by itself. */
  launcher?: boolean;
  open?: boolean;
  zIndex?: number;
};

/**
 * Puts the server's own widget on the page, once, and resolves with `window.Foyer`. So a page's build never holds a
 * widget that is older or newer than its server. Rejects when the script cannot be loaded; then it can be called again.
 */
export function loadFoyer({ baseUrl, agentId, identity, ...options }: LoadOptions): Promise<FoyerApi> {
  const page = window as unknown as { Foyer?: FoyerApi | object };
  // An element of the page with this id is found under the same name.
  if (page.Foyer && "identify" in page.Foyer) return Promise.resolve(page.Foyer);
  loading ??= new Promise<FoyerApi>((resolve, reject) => {
    const script = document.createElement("script");
    script.async = true;
    script.src = `${baseUrl.replace(/\/+$/, "")}/widget.js`;
    const data = { agentId, ...options };
    for (const [name, value] of Object.entries(data)) if (value !== undefined) script.dataset[name] = String(value);
    script.addEventListener("load", () => {
      loading = null;
      const foyer = page.Foyer as FoyerApi;
      if (identity) foyer.identify(identity);
      resolve(foyer);
    });
    script.addEventListener("error", () => {
      loading = null;
      script.remove();
      reject(new Error(`${script.src} could not be loaded.`));
    });
    document.head.append(script);
  });
  return loading;
}

let loading: Promise<FoyerApi> | null = null;
