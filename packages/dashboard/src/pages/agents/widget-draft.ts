/** An agent's `widget` as the server stores it. */
export type WidgetSettings = {
  title?: string | null;
  greeting?: string | null;
  suggestions?: string[] | null;
  pageSuggestions?: PageSuggestions[] | null;
  accentColor?: string | null;
  theme?: Theme | null;
  position?: "left" | "right" | null;
  offsetX?: number | null;
  offsetY?: number | null;
  locale?: string | null;
  launcherLabel?: string | null;
  launcherIcon?: LauncherIcon | null;
  face?: Face | null;
  accentMessages?: boolean | null;
  errorMessage?: string | null;
  showAiNotice?: boolean | null;
  aiNotice?: string | null;
  privacyPolicyUrl?: string | null;
  consentText?: string | null;
};

/** The suggestions on pages whose path matches the glob `page`. */
export type PageSuggestions = { page: string; suggestions: string[] };

type Theme = "auto" | "light" | "dark";
type Face = "image" | "initials" | "lamp" | "none";
type LauncherIcon = "chat" | "message" | "question" | "sparkle" | "lamp";

/** The widget settings in a form. Empty values use the widget's defaults. */
export type WidgetDraft = {
  title: string;
  greeting: string;
  suggestions: string[];
  pageSuggestions: PageSuggestions[];
  accentColor: string;
  theme: Theme;
  position: "left" | "right";
  offsetX: number | null;
  offsetY: number | null;
  locale: string;
  launcherLabel: string;
  launcherIcon: LauncherIcon;
  face: Face;
  accentMessages: boolean;
  errorMessage: string;
  showAiNotice: boolean;
  aiNotice: string;
  privacyPolicyUrl: string;
  consentText: string;
};

export function toDraft(widget: WidgetSettings): WidgetDraft {
  return {
    title: widget.title ?? "",
    greeting: widget.greeting ?? "",
    suggestions: widget.suggestions ?? [],
    pageSuggestions: widget.pageSuggestions ?? [],
    accentColor: widget.accentColor ?? "",
    theme: widget.theme ?? "auto",
    position: widget.position ?? "right",
    offsetX: widget.offsetX ?? null,
    offsetY: widget.offsetY ?? null,
    locale: widget.locale ?? "",
    launcherLabel: widget.launcherLabel ?? "",
    launcherIcon: widget.launcherIcon ?? "chat",
    face: widget.face ?? "image",
    accentMessages: widget.accentMessages ?? false,
    errorMessage: widget.errorMessage ?? "",
    showAiNotice: widget.showAiNotice ?? true,
    aiNotice: widget.aiNotice ?? "",
    privacyPolicyUrl: widget.privacyPolicyUrl ?? "",
    consentText: widget.consentText ?? "",
  };
}

/** Converts the draft to settings, for the preview and for saving. */
export function toSettings(draft: WidgetDraft): WidgetSettings {
  const suggestions = dropEmpty(draft.suggestions);
  const pageSuggestions = draft.pageSuggestions
    .filter((list) => !isEmptyList(list))
    .map(({ page, suggestions }) => ({ page: page.trim(), suggestions: dropEmpty(suggestions) }));
  return {
    title: draft.title.trim() || null,
    greeting: draft.greeting.trim() || null,
    suggestions: suggestions.length > 0 ? suggestions : null,
    pageSuggestions: pageSuggestions.length > 0 ? pageSuggestions : null,
    accentColor: draft.accentColor.trim() || null,
    theme: draft.theme,
    position: draft.position,
    offsetX: draft.offsetX,
    offsetY: draft.offsetY,
    locale: draft.locale || null,
    launcherLabel: draft.launcherLabel.trim() || null,
    launcherIcon: draft.launcherIcon,
    face: draft.face,
    accentMessages: draft.accentMessages,
    errorMessage: draft.errorMessage.trim() || null,
    showAiNotice: draft.showAiNotice,
    aiNotice: draft.aiNotice.trim() || null,
    privacyPolicyUrl: draft.privacyPolicyUrl.trim() || null,
    consentText: draft.consentText.trim() || null,
  };
}

/**
 * Whether nothing was entered, so that the list is not saved. A page without suggestions is saved, because it removes
 * the suggestions from that page.
 */
export function isEmptyList({ page, suggestions }: PageSuggestions): boolean {
  return page.trim() === "" && dropEmpty(suggestions).length === 0;
}

const dropEmpty = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== "");
