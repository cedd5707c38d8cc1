import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const key = "foyer.theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
  const saved = localStorage.getItem(key);
  return saved === "light" || saved === "dark" ? saved : "system";
}

/** The user's theme, updated when it is changed anywhere on the page. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme);
}

/** Stores the user's theme in this browser and applies it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  const theme = readTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The color scheme in use: the user's choice, or the system's. */
export function useColorScheme(): "light" | "dark" {
  const chosen = useTheme();
  const isDark = useSyncExternalStore(watchScheme, () => darkScheme.matches);
  return chosen === "system" ? (isDark ? "dark" : "light") : chosen;
}

const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function watchScheme(listener: () => void) {
  darkScheme.addEventListener("change", listener);
  return () => darkScheme.removeEventListener("change", listener);
}
