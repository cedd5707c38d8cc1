export type Theme = "system" | "light" | "dark";

const key = "foyer.theme";

export function savedTheme(): Theme {
  const saved = localStorage.getItem(key);
  return saved === "light" || saved === "dark" ? saved : "system";
}

/** Keeps the viewer's choice in this browser and shows it. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = savedTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
