import type { CDPSession, Page } from "playwright-core";
import { FORM_REQUEST } from "./agent.ts";

/** Opens a page for a step: with the widget, or the same page without it. */
export type Visit = {
  page: Page;
  hasWidget: boolean;
  isPhone: boolean;
  /** Whether a press beside the page's dialog closes it, as the press on the chat's launcher does. */
  hasDismissibleDialog: boolean;
  devtools: CDPSession;
};

type Step = {
  name: string;
  /** Runs on both pages. What only the widget can do is behind `hasWidget`. */
  run: (visit: Visit) => Promise<unknown>;
  /** Differences by design on a phone, where the open chat covers the page. */
  allowed?: RegExp;
};

/** The frame's history entry that lets Back close the chat counts in `history.length`, which Solid Router stores. */
const ownEntry = /^history state: [+-] \{"_depth":\d\}$/;

const MESSAGE = "bikes and/or e-bikes?";

const composer = (page: Page) => page.locator("foyer-widget .panel textarea");
const chat = (page: Page) => page.locator("foyer-widget .panel .scroll");
const replies = (page: Page) => page.locator("foyer-widget .reply .markdown");

/** The steps of the matrix, in order. Each page continues where the step before ended. */
export const steps: Step[] = [
  {
    name: "load",
    async run({ page, hasWidget }) {
      await page.waitForFunction(() => document.readyState === "complete" && document.querySelector("h1"));
      if (hasWidget) await page.locator("foyer-widget .launcher").waitFor();
    },
  },
  {
    name: "prepare",
    async run({ page }) {
      await followLink(page, "next");
      const field = page.locator("#name");
      // An open dialog of the page may have made the field inert.
      await field.fill("Ada", { force: true });
      await field.evaluate((element) => Object.assign(element, { isFilled: true }));
      await page.evaluate(() => scrollTo(0, 700));
    },
  },
  {
    name: "open",
    async run(visit) {
      await ifWidget(visit, openChat);
      if (!visit.hasWidget && visit.hasDismissibleDialog) await pressBeside(visit);
    },
  },
  {
    name: "type",
    run: (visit) =>
      ifWidget(visit, async ({ page, isPhone }) => {
        await (isPhone ? composer(page).tap() : composer(page).click());
        await page.keyboard.type(MESSAGE);
        const typed = await composer(page).inputValue();
        if (typed !== MESSAGE) throw new Error(`the chat contains ${JSON.stringify(typed)}`);
      }),
  },
  {
    name: "send",
    run: (visit) =>
      ifWidget(visit, async ({ page }) => {
        await page.keyboard.press("Enter");
        await replies(page).getByText("Line 60").waitFor();
        await page.locator("foyer-widget .send").waitFor();
      }),
  },
  {
    name: "scroll",
    async run(visit) {
      await ifWidget(visit, scrollChat);
      if (!visit.isPhone) await scroll(visit, { x: 200, y: 400 }, 200);
    },
  },
  {
    name: "form",
    run: (visit) =>
      ifWidget(visit, async ({ page }) => {
        await composer(page).fill(FORM_REQUEST);
        await page.keyboard.press("Enter");
        const form = page.locator("foyer-widget .form");
        await form.locator("input").first().click();
        await page.keyboard.type("Grace");
        await form.locator(".submit").click();
        await page.locator("foyer-widget .form.sent").waitFor();
      }),
  },
  {
    name: "close",
    run: (visit) =>
      ifWidget(visit, async ({ page, isPhone }) => {
        const close = page.locator("foyer-widget .panel .header .icon-button").last();
        await (isPhone ? close.tap() : close.click());
        await waitUntilClosed(page);
      }),
  },
  {
    name: "back",
    async run(visit) {
      const { page, isPhone, hasWidget } = visit;
      await ifWidget(visit, openChat);
      if (!isPhone) {
        await travel(page, "back");
        await page.locator("#next").waitFor({ state: "attached" });
        await travel(page, "forward");
        await page.locator("#name").waitFor({ state: "attached" });
      } else if (hasWidget) {
        await travel(page, "back");
        await waitUntilClosed(page);
      }
    },
  },
  {
    name: "navigate",
    allowed: ownEntry,
    async run(visit) {
      await ifWidget(visit, openChat);
      await followLink(visit.page, "home");
    },
  },
  {
    name: "reload",
    allowed: ownEntry,
    async run({ page, hasWidget }) {
      await page.reload();
      await page.locator("#next").waitFor();
      if (hasWidget) await page.locator("foyer-widget .launcher").waitFor({ state: "attached" });
    },
  },
];

async function ifWidget(visit: Visit, run: (visit: Visit) => Promise<void>): Promise<void> {
  if (visit.hasWidget) await run(visit);
}

/** Follows a link of the page. The chat may cover it, so the click is the page's own. */
async function followLink(page: Page, id: "home" | "next"): Promise<void> {
  await page.locator(`#${id}`).evaluate((link: HTMLElement) => link.click());
  await page.locator(id === "home" ? "#next" : "#name").waitFor({ state: "attached" });
}

async function openChat({ page, isPhone }: Visit): Promise<void> {
  if (await composer(page).isVisible()) return;
  const launcher = page.locator("foyer-widget .launcher");
  await (isPhone ? launcher.tap() : launcher.click());
  await composer(page).waitFor();
}

/** Does not wait for a navigation, because none need happen. A navigation may end the document before it answers. */
async function travel(page: Page, direction: "back" | "forward"): Promise<void> {
  await page.evaluate((direction) => void setTimeout(() => history[direction]()), direction);
}

/** Presses the corner in which the launcher is on a page with the widget. */
async function pressBeside({ page, isPhone }: Visit): Promise<void> {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  if (isPhone) await page.touchscreen.tap(width - 40, height - 40);
  else await page.mouse.click(width - 40, height - 40);
}

const waitUntilClosed = (page: Page) => page.locator("foyer-widget .panel").waitFor({ state: "hidden" });

/** Scrolls the chat up and, beyond its end, down, which must not move the page. */
async function scrollChat(visit: Visit): Promise<void> {
  const { page } = visit;
  const box = await chat(page).boundingBox();
  if (!box) throw new Error("the chat is not visible");
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const top = () => chat(page).evaluate(({ scrollTop }) => scrollTop);
  const before = await top();
  await scroll(visit, point, -300);
  const after = await top();
  if (after >= before) throw new Error(`the chat stays at ${before} px`);
  await scroll(visit, point, 5_000);
  await scroll(visit, point, 500);
}

/** Turns the wheel, or on a phone drags a finger, and waits until nothing moves. */
async function scroll({ page, isPhone, devtools }: Visit, { x, y }: { x: number; y: number }, distance: number) {
  if (isPhone) {
    await devtools.send("Input.synthesizeScrollGesture", {
      x,
      y,
      yDistance: -distance,
      preventFling: true,
      speed: 4_000,
    });
    return;
  }
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, distance);
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let last = "";
        let frames = 0;
        const check = () => {
          const host = document.querySelector("foyer-widget")?.shadowRoot?.querySelector(".panel .scroll");
          const now = `${scrollY} ${host?.scrollTop}`;
          frames = now === last ? frames + 1 : 0;
          last = now;
          if (frames === 20) resolve();
          else requestAnimationFrame(check);
        };
        check();
      }),
  );
}
