/** An agent's `widget` as the server keeps it. */
export type WidgetSettings = {
  title?: string | null;
  greeting?: string | null;
  suggestions?: string[] | null;
  accentColor?: string | null;
  position?: "left" | "right" | null;
  locale?: string | null;
  launcherLabel?: string | null;
  errorMessage?: string | null;
};

/** The same in a form: what is left to the widget's own default is empty. */
export type WidgetDraft = {
  title: string;
  greeting: string;
  suggestions: string[];
  accentColor: string;
  position: "left" | "right";
  locale: string;
  launcherLabel: string;
  errorMessage: string;
};

export function toDraft(widget: WidgetSettings): WidgetDraft {
  return {
    title: widget.title ?? "",
    greeting: widget.greeting ?? "",
    suggestions: widget.suggestions ?? [],
    accentColor: widget.accentColor ?? "",
    position: widget.position ?? "right",
    locale: widget.locale ?? "",
    launcherLabel: widget.launcherLabel ?? "",
    errorMessage: widget.errorMessage ?? "",
  };
}

/** What is saved, and what the preview shows meanwhile. */
export function toSettings(draft: WidgetDraft): WidgetSettings {
  const { title, greeting, accentColor, locale, launcherLabel, errorMessage, position } = draft;
  const suggestions = draft.suggestions.map((text) => text.trim()).filter((text) => text !== "");
  return {
    title: title.trim() || null,
    greeting: greeting.trim() || null,
    suggestions: suggestions.length > 0 ? suggestions : null,
    accentColor: accentColor.trim() || null,
    position,
    locale: locale || null,
    launcherLabel: launcherLabel.trim() || null,
    errorMessage: errorMessage.trim() || null,
  };
}
