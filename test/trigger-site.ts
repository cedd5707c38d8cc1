import type { BrowserContextOptions, Page } from "playwright-core";
import type { WidgetSite } from "./widget-site.ts";

export type TriggerOptions = {
  path?: string;
  attributes?: Record<string, string>;
  context?: BrowserContextOptions;
  /** A script that runs in the page before anything else. */
  before?: string;
};

/** Actions of trigger tests on a site: pages whose clock can be moved, and the server's counters. */
export function triggerSite(site: WidgetSite) {
  async function createTriggers(agentId: string, triggers: object[]): Promise<string[]> {
    const ids: string[] = [];
    for (const trigger of triggers) {
      const body = { name: "Trigger", conditions: {}, ...trigger };
      const answer = await site.owner.call("POST", `/triggers?agentId=${agentId}`, body);
      if (answer.status !== 201) throw new Error(`no trigger: ${JSON.stringify(answer.body)}`);
      ids.push(answer.body.id);
    }
    return ids;
  }

  /**
   * Opens a page of the agent and waits until its triggers are being watched. The page's clock runs and can be moved
   * forward.
   */
  async function openPage(page: Page, agentId: string, { path = "/", attributes = {} }: TriggerOptions = {}) {
    const listed = page.waitForResponse((response) => response.url().includes("/triggers/widget/"));
    const loaded = page.waitForEvent("requestfinished", (request) => request.url().includes("/widget/triggers"));
    // Prevents an unhandled rejection, because this promise is not awaited when the agent has no triggers.
    loaded.catch(() => {});
    await page.goto(site.host.page(path, { "data-agent-id": agentId, ...attributes }));
    await page.locator(".launcher").waitFor();
    // The browser's idle time also uses the page's clock.
    await page.clock.runFor(200);
    if ((await (await listed).json()).length > 0) await loaded;
    await page.clock.runFor(600);
  }

  return {
    createTriggers,
    openPage,
    /** A page of a new agent with these triggers. */
    async visitWith(triggers: object[], options: TriggerOptions = {}) {
      const agentId = await site.createAgent();
      const ids = await createTriggers(agentId, triggers);
      const opened = await site.browser.open(options.context);
      await opened.page.clock.install();
      if (options.before) await opened.page.addInitScript(options.before);
      await openPage(opened.page, agentId, options);
      return { ...opened, agentId, ids, open: (more: TriggerOptions) => openPage(opened.page, agentId, more) };
    },
    /** How often each trigger fired and converted according to the server. */
    async counts(agentId: string, ids: string[]): Promise<Array<[fired: number, converted: number]>> {
      const { body } = await site.owner.call("GET", `/triggers/stats?agentId=${agentId}`);
      return ids.map((id) => [body[id].firedCount, body[id].convertedCount]);
    },
  };
}

export const bubbleOf = (page: Page) => page.locator(".nudge");

export const bubble = (message: string, more: object = {}) => ({
  name: message,
  actionType: "show_bubble",
  actionConfig: { message, ...more },
});

/** From now on, the page's clock moves only when the test moves it, however slow the machine is. */
export async function freezeClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 200);
}

/** Moves the clock by this many seconds while the visitor is active. */
export async function advanceClock(page: Page, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    await page.evaluate(() => dispatchEvent(new Event("pointermove")));
    await page.clock.runFor(Math.min(5, seconds - passed) * 1_000);
  }
}

/** Simulates a switch to another tab, or back to this one. */
export function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((isHidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, isHidden);
}

export const track = (page: Page, name: string, data: object = {}) =>
  page.evaluate(([name, data]) => Reflect.get(window, "Foyer").track(name, data), [name, data] as const);

/** Makes the page several screens high. */
export function makePageLong(page: Page, paragraphs = 120): Promise<void> {
  return page.evaluate((count) => {
    for (let at = 0; at < count; at++) {
      document.body.append(Object.assign(document.createElement("p"), { textContent: `Paragraph ${at}` }));
    }
  }, paragraphs);
}
