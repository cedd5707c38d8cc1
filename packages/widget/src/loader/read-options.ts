import type { Identity } from "../foyer-api.ts";
import { iconNames, type LauncherIcon } from "./launcher-icons.ts";

/** The options of the script tag. `null` means that the agent's setting applies. */
export type WidgetOptions = {
  agentId: string;
  /** The server's URL, without a trailing slash. */
  baseUrl: string;
  identity: Identity | null;
  /** `required`: nothing is stored in the browser before `Foyer.consent()`. */
  consent: "given" | "required";
  /** Send the page's URL, title and language with each message. */
  sendsPage: boolean;
  theme: "auto" | "light" | "dark" | null;
  locale: string | null;
  position: "left" | "right" | null;
  /** Distance of the launcher from the side and the bottom of the window, in pixels. */
  offsetX: number | null;
  offsetY: number | null;
  accentColor: string | null;
  title: string | null;
  greeting: string | null;
  launcherLabel: string | null;
  launcherIcon: LauncherIcon | null;
  /** Without a launcher the page opens the chat itself. */
  hasLauncher: boolean;
  /** Open the panel on load, on screens where the page stays visible beside it. */
  isOpen: boolean;
  zIndex: number | null;
};

/** Reads the `data-*` attributes of the script tag. Returns null without an agent id. Invalid values are ignored. */
export function readOptions(data: Readonly<Record<string, string | undefined>>, baseUrl: string): WidgetOptions | null {
  const { agentId, userId, userToken } = data;
  if (!agentId) return null;
  return {
    agentId,
    baseUrl: (data.baseUrl || baseUrl).replace(/\/+$/, ""),
    identity: userId || userToken ? readIdentity(data) : null,
    consent: data.consent === "required" ? "required" : "given",
    sendsPage: data.page !== "off",
    theme: parseOneOf(data.theme, ["auto", "light", "dark"]),
    locale: data.locale || null,
    position: parseOneOf(data.position, ["left", "right"]),
    offsetX: parsePixels(data.offsetX),
    offsetY: parsePixels(data.offsetY),
    accentColor: /^#[0-9a-f]{6}$/i.test(data.accentColor ?? "") ? (data.accentColor ?? null) : null,
    title: data.title || null,
    greeting: data.greeting || null,
    launcherLabel: data.launcherLabel || null,
    launcherIcon: parseOneOf(data.launcherIcon, iconNames),
    hasLauncher: data.launcher !== "false",
    isOpen: data.open === "" || data.open === "true",
    zIndex: /^\d{1,10}$/.test(data.zIndex ?? "") ? Number(data.zIndex) : null,
  };
}

function readIdentity(data: Readonly<Record<string, string | undefined>>): Identity {
  const { userId, userToken, userEmail, userName, userHash } = data;
  return { userId, userToken, userEmail, userName, userHash } as Identity;
}

function parsePixels(value: string | undefined): number | null {
  return /^\d{1,3}$/.test(value ?? "") ? Math.min(Number(value), 400) : null;
}

function parseOneOf<const T extends string>(value: string | undefined, values: readonly T[]): T | null {
  return values.find((one) => one === value) ?? null;
}
