import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";

/** What a visitor and the site's own code can notice of a page, each as a text that can be compared. */
export type PageState = Record<string, string>;

/** What the page was told since it was opened. The lists only grow, so a difference can be found later, too. */
export type Records = { requests: string[]; console: string[] };

/**
 * The events of the chat that a page's own handlers must not receive. Pointer events and clicks are not among them,
 * because pages use those to close their menus.
 */
const OWN_EVENTS =
  "wheel touchmove keydown keypress keyup focusin focusout beforeinput input compositionstart compositionend copy cut paste selectstart dragstart dragover drop".split(
    " ",
  );

/** Records what the page receives, from before the first script of the page until it is closed. */
export async function recordPage(page: Page, siteOrigin: string): Promise<Records> {
  const records: Records = { requests: [], console: [] };
  const withoutOrigin = (text: string) => text.replaceAll(siteOrigin, "");
  page.on("request", (request) => {
    if (request.url().startsWith(siteOrigin))
      records.requests.push(`${request.method()} ${withoutOrigin(request.url())}`);
  });
  page.on("console", (message) => records.console.push(`${message.type()}: ${withoutOrigin(message.text())}`));
  page.on("pageerror", (error) => records.console.push(`uncaught: ${withoutOrigin(error.message)}`));
  await page.addInitScript(installRecorder, OWN_EVENTS);
  return records;
}

/** Runs in the page, which is to be as for a visitor. Listeners are in the bubbling phase, like those of routers and shortcuts. */
function installRecorder(ownEvents: string[]): void {
  // The widget navigates the page in place when a tool presses Back, because tools wait for it.
  Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false });
  const received: Record<string, number> = {};
  Object.assign(window, { receivedEvents: received });
  const count = (name: string) => {
    // Routers store scroll positions by replacing their state, as often as they notice that the page scrolls.
    received[name] = name === "navigate replace" ? 1 : (received[name] ?? 0) + 1;
  };
  addEventListener("popstate", () => count("popstate"));
  addEventListener("hashchange", () => count("hashchange"));
  navigation?.addEventListener("navigate", (event) => count(`navigate ${event.navigationType}`));
  for (const type of ownEvents) {
    addEventListener(type, (event) => {
      if (event.target instanceof Element && event.target.localName === "foyer-widget")
        received[`${type} of the chat`] = 1;
    });
  }
}

const QUIET_MS = 150;

/** Waits until the page has been idle for a while, because the end of a router's work has no event. */
export async function waitUntilQuiet(page: Page, records: Records): Promise<void> {
  await page.waitForLoadState("load");
  let before: string;
  let after = "";
  do {
    before = after;
    await wait(QUIET_MS);
    after = JSON.stringify(await readState(page, records));
  } while (before !== after);
}

export async function readState(page: Page, records: Records): Promise<PageState> {
  const state = await page.evaluate(readInPage);
  return {
    ...state,
    requests: records.requests.toSorted().join("\n"),
    console: records.console.toSorted().join("\n"),
  };
}

/** Runs in the page. */
function readInPage(): Record<string, string> {
  const describe = (element: Element | null) =>
    element ? `${element.localName}${element.id ? `#${element.id}` : ""}` : "nothing";
  const attributes = (element: Element) =>
    [...element.attributes]
      // Headless UI notes there whether the last input was a key or a press.
      .filter(({ name }) => name !== "data-headlessui-focus-visible")
      .map(({ name, value }) => `${name}="${value}"`)
      .sort()
      .join(" ");
  const own = [...document.querySelectorAll("*")].filter((element) => element.localName !== "foyer-widget");
  const fields = own.filter((element) => element.matches("input, textarea, select")) as HTMLInputElement[];
  const scrolled = own.filter(({ scrollTop, scrollLeft }) => scrollTop !== 0 || scrollLeft !== 0);
  const { index } = navigation.currentEntry as NavigationHistoryEntry;
  const entries = navigation.entries().slice(0, index + 1);
  /** Routers give each entry a random key or one made of the time, and some keep its whole URL. */
  const withoutKeys = (text: string) =>
    text
      .replaceAll(/"(key|restorationIdentifier)":"[^"]*"|"(random|\w+Index)":(0\.|\d{13})[\d.e-]*/g, '"$1$2":"…"')
      .replaceAll(location.origin, "");
  return {
    address: location.pathname + location.search + location.hash,
    title: document.title,
    text: document.body.innerText,
    fields: fields
      .map((field) => `${describe(field)}=${field.value}/${field.checked}/${"isFilled" in field}`)
      .join("\n"),
    scroll: scrolled.map((element) => `${describe(element)} ${Math.round(element.scrollTop)}`).join("\n"),
    focus: describe(document.activeElement),
    selection: String(getSelection()),
    root: attributes(document.documentElement),
    body: attributes(document.body),
    hidden: own
      .filter((e) => e.matches("[inert], [aria-hidden]"))
      .map(describe)
      .join("\n"),
    history: entries.map(({ url }) => new URL(url as string).pathname).join("\n"),
    "history state": withoutKeys(JSON.stringify(history.state)),
    events: Object.entries(Reflect.get(window, "receivedEvents"))
      .map(([name, times]) => `${name}: ${times}`)
      .sort()
      .join("\n"),
  };
}

/** @returns one line for each part of the state that the widget changed */
export function compareStates(withWidget: PageState, without: PageState): string[] {
  return Object.keys(without).flatMap((part) => {
    const [own = "", expected = ""] = [withWidget[part], without[part]];
    // The focus may be in the chat. Where it is in the page, it is where it would be without the chat.
    if (own === expected || (part === "focus" && own === "foyer-widget")) return [];
    return [
      ...linesWithout(own, expected).map((line) => `${part}: + ${line}`),
      ...linesWithout(expected, own).map((line) => `${part}: - ${line}`),
    ].filter((line) => !line.endsWith(" "));
  });
}

/** The lines of `text` that `other` does not have, or not as often. */
function linesWithout(text: string, other: string): string[] {
  const rest = other.split("\n");
  return text.split("\n").filter((line) => {
    const found = rest.indexOf(line);
    if (found >= 0) rest.splice(found, 1);
    return found < 0;
  });
}
