const focusable = "a[href], button, input, textarea, select, summary, [tabindex]";

/** Keeps the Tab key inside an element while that element covers the page. */
export function keepFocusWithin(element: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== "Tab") return;
  const stops = [...element.querySelectorAll<HTMLElement>(focusable)].filter(
    (stop) => stop.tabIndex >= 0 && !stop.matches(":disabled") && stop.getClientRects().length > 0,
  );
  const current = (element.getRootNode() as ShadowRoot).activeElement;
  const [first, last] = [stops[0], stops.at(-1)];
  const next = event.shiftKey
    ? current === first || current === element
      ? last
      : null
    : current === last
      ? first
      : null;
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/**
 * Moves the focus to the message field. On touch screens that would open the keyboard, so the panel itself gets the
 * focus there.
 */
export function focusPanel(panel: HTMLElement | null | undefined): void {
  const field = matchMedia("(hover: hover)").matches ? panel?.querySelector<HTMLElement>(".composer textarea") : null;
  (field ?? panel)?.focus({ preventScroll: true });
}
