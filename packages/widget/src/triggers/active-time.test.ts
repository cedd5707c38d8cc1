import fc from "fast-check";
import { expect, it } from "vitest";
import { createActiveTime, IDLE_MS } from "./active-time.ts";

it("counts while the page is seen, up to 30 s after the last sign", () => {
  let at = 1_000;
  const active = createActiveTime(() => at);
  at += 5_000;
  expect(active.count()).toBe(0);
  active.wake();
  at += 20_000;
  expect(active.count()).toBe(20_000);
  active.wake();
  at += 3_600_000;
  expect([active.count(), active.isAwake()]).toEqual([20_000 + IDLE_MS, false]);
  active.wake();
  at += 1_000;
  active.sleep();
  at += 60_000;
  expect(active.count()).toBe(51_000);
  active.wake();
  at += 500;
  active.restart();
  at += 250;
  expect(active.count()).toBe(250);
});

it("is the same however often it is asked for, and never more than what passed", () => {
  const step = fc.record({
    wait: fc.nat({ max: 90_000 }),
    what: fc.constantFrom("wake", "sleep", "ask", "nothing"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let at = 0;
      const asked = createActiveTime(() => at);
      const silent = createActiveTime(() => at);
      // By the definition: each millisecond counts that is within 30 s of a sign, with no sleep in between.
      let expected = 0;
      let until = 0;
      for (const { wait, what } of steps) {
        expected += Math.max(0, Math.min(at + wait, until) - at);
        at += wait;
        if (what === "wake") until = at + IDLE_MS;
        if (what === "sleep") until = 0;
        if (what === "wake" || what === "sleep") for (const active of [asked, silent]) active[what]();
        if (what === "ask") expect(asked.count()).toBeLessThanOrEqual(at);
      }
      expect([asked.count(), silent.count()]).toEqual([expected, expected]);
    }),
  );
});
