import { expect, it } from "vitest";
import { listSnoozeTimes } from "./snooze-times.ts";

const at = (label: string, now: Date) => listSnoozeTimes(now).find((time) => time.label === label)?.at;

it("snoozes until nine in the morning of the next Monday", () => {
  const wednesday = new Date(2026, 10, 25, 17, 30);
  expect(at("Until Monday", wednesday)).toEqual(new Date(2026, 10, 30, 9));
});

it("offers a week later, not the same day, on a Monday", () => {
  const monday = new Date(2026, 10, 23, 8);
  expect(at("Until Monday", monday)).toEqual(new Date(2026, 10, 30, 9));
});

it("offers Monday only once on a Sunday, as tomorrow", () => {
  const sunday = new Date(2026, 10, 29, 12);
  expect([at("Until Monday", sunday), at("Until tomorrow", sunday)]).toEqual([undefined, new Date(2026, 10, 30, 9)]);
});

it.each([23, 24, 25, 26, 27, 28, 29])("offers every time once on November %i", (day) => {
  const times = listSnoozeTimes(new Date(2026, 10, day, 12)).map(({ at }) => at.getTime());
  expect(new Set(times).size).toBe(times.length);
});

it("opens at nine on the day after a clock change", () => {
  const before = new Date(2026, 2, 28, 23, 30);
  expect(at("Until tomorrow", before)?.getHours()).toBe(9);
});
