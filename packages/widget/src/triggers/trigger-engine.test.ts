import type { WidgetTrigger } from "@foyer/contract";
import { matchEvent } from "@foyer/contract/rules/match-event";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARRIVAL_MS, createTriggerEngine, QUIET_MS, TYPING_MS } from "./trigger-engine.ts";
import { createVisibleTime } from "./visible-time.ts";

type Setting = Pick<WidgetTrigger, "triggerType" | "conditions"> & Partial<WidgetTrigger>;

/** An engine on a simulated page. Actions take no time unless they are held back. */
function startPage(settings: Setting[]) {
  let at = 0;
  const done = new Set<string>();
  const page = { path: "/", depth: 0, isOpen: false, isBusy: false, isBroken: false };
  const log: string[] = [];
  const visible = createVisibleTime(() => at);
  visible.setVisible(true);
  const triggers = settings.map((setting, index) => ({
    id: `t${index}`,
    name: `t${index}`,
    actionType: "show_bubble",
    actionConfig: {},
    triggerOnce: true,
    priority: 0,
    ...setting,
  })) as WidgetTrigger[];
  const held: Array<() => void> = [];
  let isHolding = false;
  const engine = createTriggerEngine(triggers, {
    visible,
    now: () => at,
    path: () => page.path,
    depth: () => page.depth,
    isOpen: () => page.isOpen,
    isBusy: () => page.isBusy,
    fired: { has: (id) => done.has(id), add: (id) => void done.add(id), clear: () => done.clear() },
    matches: async (conditions, data) => matchEvent(conditions as { event: string }, String(conditions.event), data),
    run: async () => {
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve));
      return !page.isBroken;
    },
    onFired: ({ id }) => void log.push(id),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    engine,
    page,
    log,
    done,
    held,
    settle,
    hold: () => {
      isHolding = true;
    },
    /** Advances the time while the page is visible. */
    async pass(milliseconds: number) {
      for (let passed = 0; passed < milliseconds; passed += 500) {
        at += 500;
        visible.setVisible(true);
        engine.step();
        await settle();
      }
    },
  };
}

const time = (seconds: number, more: Partial<WidgetTrigger> = {}): Setting => ({
  triggerType: "time_on_page",
  conditions: { timeOnPage: seconds },
  ...more,
});
const page = (path: string, more: Partial<WidgetTrigger> = {}): Setting => ({
  triggerType: "page_view",
  conditions: { page: path },
  ...more,
});
const event = (name: string, more: Partial<WidgetTrigger> = {}): Setting => ({
  triggerType: "custom_event",
  conditions: { event: name },
  ...more,
});
const exit: Setting = { triggerType: "exit_intent", conditions: {} };

describe("a trigger", () => {
  it("fires once when its condition is met", async () => {
    const { pass, log, engine } = startPage([time(5), page("/bikes/*")]);
    await pass(4_500);
    expect(log).toEqual([]);
    await pass(500);
    expect(log).toEqual(["t0"]);
    engine.restart();
    await pass(60_000);
    expect(log).toEqual(["t0"]);
  });

  it("that can repeat fires once per page view, or once per event if it waits for an event", async () => {
    const { pass, log, engine } = startPage([time(5, { triggerOnce: false }), event("ping", { triggerOnce: false })]);
    await pass(60_000);
    expect(log).toEqual(["t0"]);
    engine.restart();
    await pass(20_000);
    expect(log).toEqual(["t0", "t0"]);
    for (let times = 0; times < 3; times++) {
      await engine.track("ping", {});
      await pass(500);
    }
    expect(log.slice(2)).toEqual(["t1", "t1", "t1"]);
  });

  it("ignores the scroll position until the visitor scrolls, then keeps the greatest depth", async () => {
    const {
      pass,
      log,
      page: shown,
      engine,
    } = startPage([{ triggerType: "scroll_depth", conditions: { scrollDepth: 50 } }]);
    shown.depth = 90;
    await pass(1_000);
    expect(log).toEqual([]);
    shown.depth = 40;
    engine.scrolled();
    await pass(500);
    expect([log, engine.view.depth]).toEqual([[], 40]);
    shown.depth = 55;
    engine.scrolled();
    await pass(500);
    expect(log).toEqual(["t0"]);
  });

  it("whose action could not be shown is not counted and tries again on the next page view", async () => {
    const { pass, log, page: shown, engine, done } = startPage([page("/")]);
    shown.isBroken = true;
    await pass(30_000);
    expect([log, done.size, engine.watched[0]?.note]).toEqual([[], 0, "failed"]);
    shown.isBroken = false;
    engine.restart();
    await pass(500);
    expect(log).toEqual(["t0"]);
  });
});

describe("exit intent", () => {
  it("is missed by a trigger that cannot run at that moment", async () => {
    const { pass, log, engine, page: shown } = startPage([exit]);
    engine.leave();
    await pass(ARRIVAL_MS);
    expect(log).toEqual([]);
    shown.isBusy = true;
    engine.leave();
    shown.isBusy = false;
    await pass(30_000);
    expect(log).toEqual([]);
    engine.leave();
    await pass(500);
    expect(log).toEqual(["t0"]);
  });
});

describe("exit intent that a bubble took", () => {
  it.each(["while it is loading", "during the pause after it"])(
    "is made up for after the pause: %s",
    async (moment) => {
      const { pass, log, engine } = startPage([exit, event("ping")]);
      await pass(ARRIVAL_MS);
      const tracked = engine.track("ping", {});
      if (moment === "while it is loading") engine.leave();
      await tracked;
      await pass(500);
      if (moment !== "while it is loading") engine.leave();
      expect(log).toEqual(["t1"]);
      await pass(QUIET_MS);
      expect(log).toEqual(["t1", "t0"]);
      await pass(60_000);
      expect(log).toEqual(["t1", "t0"]);
    },
  );
});

describe("several triggers", () => {
  it("run one at a time with a pause between them", async () => {
    const { pass, log, hold, held, settle } = startPage([page("/"), page("/**")]);
    hold();
    await pass(60_000);
    expect([log, held.length]).toEqual([[], 1]);
    held.pop()?.();
    await settle();
    expect(log).toEqual(["t0"]);
    await pass(QUIET_MS - 500);
    expect(held.length).toBe(0);
    await pass(500);
    expect(held.length).toBe(1);
  });

  it("do not lose an event or a page change that happens while one of them runs", async () => {
    const settings = [event("ping", { triggerOnce: false }), page("/**", { triggerOnce: false })];
    const { pass, log, engine, hold, held, settle } = startPage(settings);
    hold();
    await engine.track("ping", {});
    await engine.track("ping", {});
    held.pop()?.();
    await settle();
    await pass(500);
    held.pop()?.();
    await settle();
    expect(log).toEqual(["t0", "t0"]);
    await pass(QUIET_MS);
    engine.restart();
    held.pop()?.();
    await settle();
    await pass(QUIET_MS);
    held.pop()?.();
    await settle();
    expect(log.slice(2)).toEqual(["t1", "t1"]);
  });

  it("wait for a visitor who is typing, while only events skip the pause", async () => {
    const { pass, log, engine } = startPage([page("/"), event("help")]);
    await pass(500);
    engine.typed();
    await engine.track("help", {});
    await pass(TYPING_MS - 500);
    expect(log).toEqual(["t0"]);
    await pass(500);
    expect(log).toEqual(["t0", "t1"]);
  });

  it("are dropped when their turn comes while the chat is open, except for a form that the site requests", async () => {
    const {
      pass,
      log,
      engine,
      page: shown,
    } = startPage([
      time(5),
      event("help", { actionType: "open_chat" }),
      event("form", { actionType: "show_form" }),
      time(60),
    ]);
    shown.isOpen = true;
    await engine.track("help", {});
    await engine.track("form", {});
    await pass(30_000);
    shown.isOpen = false;
    await pass(20_000);
    expect(log).toEqual(["t2"]);
    expect(engine.watched.map(({ note }) => note)).toEqual(["chat open", "chat open", "fired", null]);
    await pass(20_000);
    expect(log).toEqual(["t2", "t3"]);
  });

  it("keep their order, fire only once if set to, and never run two within the pause, for any sequence of events", async () => {
    const setting = fc.oneof(
      fc.nat({ max: 20 }).map((seconds) => time(seconds)),
      fc.constantFrom<Setting>(page("/"), page("/bikes/*"), exit, time(0, { triggerOnce: false })),
    );
    const happening = fc.oneof(
      fc.record({ what: fc.constant("pass"), ms: fc.nat({ max: 12_000 }) }),
      fc.record({
        what: fc.constantFrom("leave", "restart", "typed", "open", "close", "/", "/bikes/one"),
        ms: fc.constant(0),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(setting, { minLength: 1, maxLength: 6 }),
        fc.array(happening, { maxLength: 12 }),
        async (settings, happenings) => {
          const run = startPage(settings);
          const firedAt: number[] = [];
          let now = 0;
          let known = 0;
          const look = () => {
            for (const id of run.log.slice(known)) {
              const due = run.engine.watched.find(({ state }) => state === "due");
              // No trigger with a higher priority was waiting.
              if (due) expect(Number(due.trigger.id.slice(1))).toBeGreaterThan(Number(id.slice(1)));
              firedAt.push(now);
            }
            known = run.log.length;
          };
          for (const { what, ms } of happenings) {
            if (what === "leave") run.engine.leave();
            else if (what === "typed") run.engine.typed();
            else if (what === "open" || what === "close") run.page.isOpen = what === "open";
            else if (what === "restart") run.engine.restart();
            else if (what.startsWith("/")) {
              run.page.path = what;
              run.engine.restart();
            }
            await run.settle();
            look();
            for (let passed = 0; passed < ms; passed += 500) {
              await run.pass(500);
              now += 500;
              look();
            }
          }
          const once = run.log.filter((id) => settings[Number(id.slice(1))]?.triggerOnce !== false);
          expect(new Set(once).size).toBe(once.length);
          firedAt.forEach((at, index) => {
            if (index > 0) expect(at - (firedAt[index - 1] ?? 0)).toBeGreaterThanOrEqual(QUIET_MS);
          });
        },
      ),
      { numRuns: 150 },
    );
  });
});
