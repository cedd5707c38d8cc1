const stored = "foyer.inbox-view";

type View = { view?: string; saved?: string };

/** Keeps the view of the inbox, so that it is shown the next time. Without one, it shows all conversations. */
export function rememberView({ view = "", saved = "" }: View): void {
  localStorage.setItem(stored, new URLSearchParams(saved ? { saved } : view ? { view } : {}).toString());
}

/** The view of the inbox that the user saw last, or the open conversations. Null for all conversations. */
export function lastView(): View | null {
  const view = localStorage.getItem(stored) ?? "view=open";
  return view === "" ? null : Object.fromEntries(new URLSearchParams(view));
}
