const reachable = "a[href], button, input, textarea, select, summary, [tabindex]";

/** Sends the Tab key round within an element, for as long as nothing beside it can be seen. */
export function keepFocusWithin(element: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== "Tab") return;
  const stops = [...element.querySelectorAll<HTMLElement>(reachable)].filter(
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
