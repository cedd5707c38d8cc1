import type { FoyerApi, Identity } from "./foyer-api.ts";

/** The options of the script tag's `data-*` attributes, for pages that load the widget from code. */
export type LoadOptions = {
  /** The server's URL, such as `https://chat.example.com`. The widget is loaded from it. */
  baseUrl: string;
  agentId: string;
  identity?: Identity;
  consent?: "given" | "required";
  /** `"off"`: the URL, title and language of the page are not sent with messages. */
  page?: "off";
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
  /** `false` hides the launcher. The page then opens the chat itself. */
  launcher?: boolean;
  open?: boolean;
  zIndex?: number;
};

/**
 * Loads the widget from the server, once per page, and resolves with `window.Foyer`. The widget is not part of the
 * page's build, so its version always matches the server's. Rejects if the script cannot be loaded. The call can then
 * be repeated.
 */
export function loadFoyer({ baseUrl, agentId, identity, ...options }: LoadOptions): Promise<FoyerApi> {
  const page = window as unknown as { Foyer?: FoyerApi | object };
  // An element of the page with the id `Foyer` appears under the same global name.
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
