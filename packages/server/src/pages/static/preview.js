const base = new URL("..", import.meta.url);
// The real widget with unsaved settings, which the surrounding page sends each time they change.
const { agentId } = document.body.dataset;
let settings = null;
let trigger = null;
let isOpen = true;
let wanted = null;
let isStarting = false;

const ask = window.fetch;
window.fetch = async (address, options) => {
  const { href, pathname: whole } = new URL(address, location.href);
  const pathname = href.startsWith(base.href) ? whole.slice(base.pathname.length - 1) : whole;
  // A preview has only the trigger that it shows, and nothing in it may be counted as a visitor's action.
  if (pathname === `/triggers/widget/${agentId}`) return Response.json(trigger ? [trigger] : []);
  if (pathname === "/triggers/event" || pathname === "/form-submissions/event") return Response.json({ success: true });
  // With the session, messages are a member's tests: they go to the draft and are not counted.
  const isMessage = pathname === "/chat";
  const answer = await ask(address, isMessage ? { ...options, credentials: "same-origin" } : options);
  if (pathname !== `/agents/${agentId}/widget` || !answer.ok) return answer;
  const { data } = await answer.json();
  return Response.json({ data: { ...data, ...settings }, error: null });
};

// The widget takes the focus when it opens, but a user who is typing in the surrounding page must keep it.
const { focus } = HTMLElement.prototype;
HTMLElement.prototype.focus = function (...options) {
  if (document.hasFocus()) focus.apply(this, options);
};

addEventListener("message", ({ source, origin, data }) => {
  if (source !== parent || origin !== location.origin || data?.type !== "foyer-preview") return;
  wanted = data;
  startWanted();
});
if (parent !== window) parent.postMessage({ type: "foyer-preview-ready" }, location.origin);

const previewTrigger = {
  id: "preview",
  name: "Preview",
  triggerType: "page_view",
  conditions: { page: "**" },
  triggerOnce: false,
  priority: 0,
};

/** Starts one widget at a time. Only the newest waiting settings are used, because a user may be typing. */
async function startWanted() {
  if (isStarting) return;
  isStarting = true;
  while (wanted) {
    const next = wanted;
    wanted = null;
    await start(next);
  }
  isStarting = false;
}

async function start({ name, widget, images, theme, trigger: shownTrigger }) {
  settings = { name, widget, images };
  // Page view triggers fire without a delay.
  trigger = shownTrigger && { ...previewTrigger, ...shownTrigger };
  document.documentElement.dataset.theme = theme;
  window.Foyer?.destroy?.();
  delete window.Foyer;
  const script = document.createElement("script");
  script.src = new URL("widget.js", base).href;
  // Stored conversations of this browser must not appear in the preview.
  Object.assign(script.dataset, { agentId, consent: "required" });
  await new Promise((resolve) => {
    script.onload = script.onerror = resolve;
    document.head.append(script);
  });
  script.remove();
  const { Foyer } = window;
  if (!Foyer?.on) return;
  if (isOpen && shownTrigger === undefined) Foyer.open();
  Foyer.on("open", () => {
    isOpen = true;
  });
  Foyer.on("close", () => {
    isOpen = false;
  });
}
