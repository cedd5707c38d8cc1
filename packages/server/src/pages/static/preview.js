// The real widget with settings that are not saved yet: the page around this one sends them, each time that they change.
const { agentId } = document.body.dataset;
let settings = null;
let isOpen = true;
let wanted = null;
let isStarting = false;

const ask = window.fetch;
window.fetch = async (address, options) => {
  const { pathname } = new URL(address, location.href);
  // Nothing of the preview may count as a visitor's, and nothing may pop up while somebody looks at colours.
  if (pathname === `/triggers/widget/${agentId}`) return Response.json([]);
  const answer = await ask(address, options);
  if (pathname !== `/agents/${agentId}/widget` || !answer.ok) return answer;
  const { data } = await answer.json();
  return Response.json({ data: { ...data, ...settings }, error: null });
};

// The widget takes the focus when it opens, but whoever is writing in the page around must keep it.
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

/** One after the other, and of those that wait only the newest: somebody is writing. */
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

async function start({ name, widget, theme }) {
  settings = { name, widget };
  document.documentElement.dataset.theme = theme;
  window.Foyer?.destroy?.();
  delete window.Foyer;
  const script = document.createElement("script");
  script.src = "/widget.js";
  // With what this browser remembers, the preview would begin in the middle of a conversation.
  Object.assign(script.dataset, { agentId, theme, consent: "required" });
  await new Promise((resolve) => {
    script.onload = script.onerror = resolve;
    document.head.append(script);
  });
  script.remove();
  const { Foyer } = window;
  if (!Foyer?.on) return;
  if (isOpen) Foyer.open();
  Foyer.on("open", () => {
    isOpen = true;
  });
  Foyer.on("close", () => {
    isOpen = false;
  });
}
