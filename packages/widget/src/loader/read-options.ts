import type { Identity } from "../foyer-api.ts";

/** All that a page can say about its widget; what it leaves out comes from the agent's own settings. */
export type WidgetOptions = {
  agentId: string;
  /** The server's address, without a slash at the end. */
  baseUrl: string;
  identity: Identity | null;
  /** `required`: nothing is stored in the browser before `Foyer.consent()`. */
  consent: "given" | "required";
  theme: "auto" | "light" | "dark";
  locale: string | null;
  position: "left" | "right" | null;
  accentColor: string | null;
  title: string | null;
  greeting: string | null;
  launcherLabel: string | null;
  /** Without a launcher the page opens the chat by itself. */
  hasLauncher: boolean;
  /** Open from the beginning, on screens where the page stays visible beside it. */
  isOpen: boolean;
  zIndex: number | null;
};

/** Reads `data-*` of the script tag. Null without an agent. Values that make no sense count as not given. */
export function readOptions(data: Readonly<Record<string, string | undefined>>, baseUrl: string): WidgetOptions | null {
  const { agentId, userId } = data;
  if (!agentId) return null;
  return {
    agentId,
    baseUrl: (data.baseUrl || baseUrl).replace(/\/+$/, ""),
    identity: userId ? readIdentity(userId, data) : null,
    consent: data.consent === "required" ? "required" : "given",
    theme: oneOf(data.theme, ["light", "dark"]) ?? "auto",
    locale: data.locale || null,
    position: oneOf(data.position, ["left", "right"]),
    accentColor: /^#[0-9a-f]{6}$/i.test(data.accentColor ?? "") ? (data.accentColor ?? null) : null,
    title: data.title || null,
    greeting: data.greeting || null,
    launcherLabel: data.launcherLabel || null,
    hasLauncher: data.launcher !== "false",
    isOpen: data.open === "" || data.open === "true",
    zIndex: /^\d{1,10}$/.test(data.zIndex ?? "") ? Number(data.zIndex) : null,
  };
}

function readIdentity(userId: string, { userEmail, userName, userHash }: Readonly<Record<string, string | undefined>>) {
  return {
    userId,
    ...(userEmail ? { userEmail } : {}),
    ...(userName ? { userName } : {}),
    ...(userHash ? { userHash } : {}),
  };
}

function oneOf<const T extends string>(value: string | undefined, words: readonly T[]): T | null {
  return words.find((word) => word === value) ?? null;
}
