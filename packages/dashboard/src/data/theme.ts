import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const key = "foyer.theme";
const listeners = new Set<() => void>();

function savedTheme(): Theme {
  const saved = localStorage.getItem(key);
  return saved === "light" || saved === "dark" ? saved : "system";
}

/** The viewer's choice, wherever on the page it was made. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, savedTheme);
}

/** Keeps the viewer's choice in this browser and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  const theme = savedTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The scheme that is on the screen: the viewer's choice, or the system's. */
export function useShownTheme(): "light" | "dark" {
  const chosen = useTheme();
  const isDark = useSyncExternalStore(watchScheme, () => darkScheme.matches);
  return chosen === "system" ? (isDark ? "dark" : "light") : chosen;
}

const darkScheme = matchMedia("(prefers-color-scheme: dark)");

function watchScheme(listener: () => void) {
  darkScheme.addEventListener("change", listener);
  return () => darkScheme.removeEventListener("change", listener);
}
