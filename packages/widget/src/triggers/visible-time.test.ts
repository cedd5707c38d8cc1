import fc from "fast-check";
import { expect, it } from "vitest";
import { createVisibleTime } from "./visible-time.ts";

it("the visible time is measured even when the visitor is idle for an hour", () => {
  let at = 1_000;
  const visible = createVisibleTime(() => at);
  at += 5_000;
  expect(visible.count()).toBe(0);
  visible.setVisible(true);
  at += 3_600_000;
  expect(visible.count()).toBe(3_600_000);
  visible.setVisible(false);
  at += 60_000;
  expect(visible.count()).toBe(3_600_000);
  visible.setVisible(true);
  visible.restart();
  at += 250;
  expect(visible.count()).toBe(250);
});

it("the visible time is the same however often it is read", () => {
  const step = fc.record({
    wait: fc.nat({ max: 90_000 }),
    what: fc.constantFrom("show", "hide", "ask"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let at = 0;
      let expected = 0;
      let isVisible = false;
      const asked = createVisibleTime(() => at);
      const silent = createVisibleTime(() => at);
      for (const { wait, what } of steps) {
        at += wait;
        if (isVisible) expected += wait;
        if (what === "ask") asked.count();
        else {
          isVisible = what === "show";
          for (const time of [asked, silent]) time.setVisible(isVisible);
        }
      }
      expect([asked.count(), silent.count()]).toEqual([expected, expected]);
    }),
  );
});
