const MAX_RESULTS = 12;
const SNIPPET_LENGTH = 140;
// The server's address, which may have a path. This file is docs/assets/docs.js below it.
const base = new URL("../..", document.currentScript.src);

addMenu();
addSearch();
for (const block of document.querySelectorAll(".code")) addCopyButton(block);
for (const [at, group] of document.querySelectorAll(".tabs").entries()) addTabs(group, at);
followSections();

/** Shows one of several code blocks. The same language is chosen in every group of the page that has it. */
function addTabs(group, number) {
  const panels = [...group.children];
  const list = document.createElement("div");
  list.role = "tablist";
  list.ariaLabel = "Language";
  const tabs = panels.map((panel, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.role = "tab";
    tab.id = `tab-${number}-${at}`;
    tab.textContent = panel.querySelector("p").textContent;
    panel.querySelector("p").remove();
    panel.id = `panel-${number}-${at}`;
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", tab.id);
    tab.setAttribute("aria-controls", panel.id);
    tab.addEventListener("click", () =>
      document.dispatchEvent(new CustomEvent("language", { detail: tab.textContent })),
    );
    return tab;
  });
  const choose = (chosen) => {
    for (const [at, tab] of tabs.entries()) {
      tab.ariaSelected = String(at === chosen);
      tab.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    }
  };
  document.addEventListener("language", ({ detail }) => {
    const chosen = tabs.findIndex(({ textContent }) => textContent === detail);
    if (chosen !== -1) choose(chosen);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
    next.click();
    next.focus();
  });
  list.append(...tabs);
  group.prepend(list);
  choose(0);
}

/** Marks the section in the list beside the page that is being read: the last one that began above the window's middle. */
function followSections() {
  const links = [...document.querySelectorAll(".on-this-page a")];
  const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  if (sections.length === 0) return;
  const mark = () => {
    const current = sections.findLastIndex((section) => section.getBoundingClientRect().top < innerHeight / 2);
    for (const [at, link] of links.entries()) link.ariaCurrent = at === Math.max(current, 0) ? "location" : null;
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

/** Adds a button that copies the code of a block. Without JavaScript there is none. */
function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = block.querySelector("code").textContent;
    button.textContent = await navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Press Ctrl+C",
    );
    if (button.textContent !== "Copied") getSelection().selectAllChildren(block.querySelector("code"));
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2_000);
  });
  block.append(button);
}

/** On phones, a button shows and hides the navigation. */
function addMenu() {
  const button = document.querySelector("header .menu");
  document.documentElement.classList.add("has-menu");
  button.hidden = false;
  const toggle = (isOpen) => {
    button.setAttribute("aria-expanded", String(isOpen));
    document.documentElement.classList.toggle("is-menu-open", isOpen);
  };
  button.addEventListener("click", () => toggle(button.getAttribute("aria-expanded") !== "true"));
  document.querySelector("nav").addEventListener("click", (event) => {
    if (event.target.closest("a")) toggle(false);
  });
}

/** One search over the guides and the API reference. Its index is loaded when the field is used for the first time. */
function addSearch() {
  const form = document.querySelector(".search");
  const field = form.querySelector("input");
  const panel = form.querySelector(".results");
  const status = panel.querySelector("p");
  const list = panel.querySelector("[role=listbox]");
  let index = null;
  let active = -1;
  form.hidden = false;

  const load = () => {
    // biome-ignore lint/style/noRestrictedGlobals: this script runs in the browser
    index ??= fetch(new URL("docs/assets/search.json", base)).then((response) => response.json());
    index.catch(() => {
      index = null;
    });
    return index;
  };
  const close = () => {
    panel.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    active = -1;
  };
  const choose = (next) => {
    const options = [...list.children];
    if (options.length === 0) return;
    active = (next + options.length) % options.length;
    options.forEach((option, at) => {
      option.setAttribute("aria-selected", String(at === active));
    });
    options[active].scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", options[active].id);
  };
  const follow = (option) => {
    close();
    field.blur();
    location.href = option.dataset.address;
  };
  const show = async () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return close();
    const entries = await load().catch(() => []);
    const found = findEntries(entries, words);
    list.replaceChildren(...found.map((entry, at) => createOption(entry, words, at)));
    status.textContent = found.length > 0 ? "" : `Nothing found for “${field.value.trim()}”.`;
    panel.hidden = false;
    field.setAttribute("aria-expanded", String(found.length > 0));
    active = -1;
    if (found.length > 0) choose(0);
  };

  field.addEventListener("focus", () => load().catch(() => {}));
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || panel.hidden) return;
    if (event.key === "ArrowDown") choose(active + 1);
    else if (event.key === "ArrowUp") choose(active - 1);
    else if (event.key === "Enter" && list.children[active]) follow(list.children[active]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) follow(option);
  });
  // Keeps the focus in the field, so that the list stays open until the click has ended.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  field.addEventListener("blur", close);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

/** The entries that contain every word, those with a word in their title first. */
function findEntries(entries, words) {
  const scored = entries.flatMap((entry) => {
    const title = `${entry.title} ${entry.page}`.toLowerCase();
    const text = entry.text.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (title.startsWith(word)) score += 12;
      else if (title.includes(word)) score += 8;
      else if (text.includes(word)) score += 1;
      else return [];
    }
    return [{ entry, score }];
  });
  // Sorting is stable, so entries of equal score stay in the order of the menu.
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

function createOption({ title, page, text, address }, words, at) {
  const option = document.createElement("div");
  option.id = `result-${at}`;
  option.role = "option";
  option.dataset.address = new URL(address.slice(1), base).href;
  const heading = document.createElement("span");
  heading.className = "title";
  heading.textContent = title;
  const place = document.createElement("span");
  place.className = "place";
  place.textContent = page;
  const snippet = document.createElement("span");
  snippet.className = "snippet";
  snippet.textContent = createSnippet(text, words);
  option.append(heading, place, snippet);
  return option;
}

/** The part of a text around the first word that it contains. */
function createSnippet(text, words) {
  const found = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at !== -1));
  const start = Number.isFinite(found) ? Math.max(0, found - 40) : 0;
  const part = text.slice(start, start + SNIPPET_LENGTH).trim();
  return `${start > 0 ? "…" : ""}${part}${start + SNIPPET_LENGTH < text.length ? "…" : ""}`;
}
