import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { leadTab } from "./lead-tab.ts";

type Tab = { name: string; isRunning: boolean; show: () => void; close: () => void };

let tabs: Tab[];
let lockName: string;

beforeEach(() => {
  tabs = [];
  // The locks belong to the process that runs the tests, so each test uses its own name.
  lockName = `foyer.inbox.${Math.random()}`;
});
afterEach(() => {
  for (const tab of tabs) tab.close();
  vi.unstubAllGlobals();
});

/** Opens a tab. One in the background stays hidden until it is shown. */
function openTab(name: string, { isHidden = false } = {}): Tab {
  const page = Object.assign(new EventTarget(), { hidden: isHidden });
  vi.stubGlobal("document", page);
  const life = new AbortController();
  const tab: Tab = {
    name,
    isRunning: false,
    show() {
      page.hidden = false;
      vi.stubGlobal("document", page);
      page.dispatchEvent(new Event("visibilitychange"));
    },
    close: () => life.abort(),
  };
  tabs.push(tab);
  leadTab(lockName, life.signal, async (turn) => {
    tab.isRunning = true;
    await new Promise((resolve) => turn.addEventListener("abort", resolve));
    tab.isRunning = false;
  });
  return tab;
}

const running = () => tabs.filter(({ isRunning }) => isRunning).map(({ name }) => name);

it("runs the work in the most recently viewed tab, and in another one when that tab is closed", async () => {
  openTab("first");
  await expect.poll(running).toEqual(["first"]);
  const second = openTab("second", { isHidden: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(running()).toEqual(["first"]);
  second.show();
  await expect.poll(running).toEqual(["second"]);
  const third = openTab("third");
  await expect.poll(running).toEqual(["third"]);
  third.close();
  await expect.poll(running).toHaveLength(1);
  expect(running()).not.toEqual(["third"]);
});

it("runs the work again when the tab that leads becomes visible", async () => {
  let runs = 0;
  const life = new AbortController();
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal("document", page);
  leadTab(lockName, life.signal, async (turn) => {
    runs += 1;
    await new Promise((resolve) => turn.addEventListener("abort", resolve));
  });
  await expect.poll(() => runs).toBe(1);
  page.dispatchEvent(new Event("visibilitychange"));
  await expect.poll(() => runs).toBe(2);
  life.abort();
});

it("runs the work in every tab of a browser without locks", async () => {
  vi.stubGlobal("navigator", {});
  openTab("first");
  openTab("second");
  await expect.poll(running).toEqual(["first", "second"]);
});
