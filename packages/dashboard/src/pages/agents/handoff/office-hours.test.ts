import { expect, it } from "vitest";
import {
  createUsualHours,
  listSpans,
  listTimeZones,
  nextException,
  nextSpan,
  withException,
  withSpans,
} from "./office-hours.ts";

it("the usual office hours are Monday to Friday in the browser's time zone", () => {
  const hours = createUsualHours();
  expect(hours.timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect([1, 5, 6].map((day) => listSpans(hours, day).length)).toEqual([1, 1, 0]);
});

it("a second span of a day starts an hour after the first, and the days stay in the order of the week", () => {
  const hours = createUsualHours();
  const morning = { day: 1, from: "09:00", to: "12:00" };
  const afternoon = nextSpan(1, [morning]);
  expect(afternoon).toEqual({ day: 1, from: "13:00", to: "18:00" });
  expect(nextSpan(2, [{ day: 2, from: "09:00", to: "24:00" }])).toEqual({ day: 2, from: "09:00", to: "17:00" });
  const changed = withSpans(hours, 1, [morning, afternoon]);
  expect(changed.days.slice(0, 3)).toEqual([morning, afternoon, { day: 2, from: "09:00", to: "17:00" }]);
  expect(withSpans(changed, 1, []).days.map(({ day }) => day)).toEqual([2, 3, 4, 5]);
});

it("exceptions are added for the day after the last one, changed and removed", () => {
  const hours = createUsualHours();
  const first = nextException(hours, new Date(2026, 11, 30));
  expect(first).toEqual({ date: "2026-12-31", from: null, to: null });
  const one = withException(hours, 0, first);
  const second = nextException(one, new Date(2026, 0, 1));
  expect(second.date).toBe("2027-01-01");
  const both = withException(one, 1, second);
  expect(withException(both, 0, null).exceptions).toEqual([second]);
});

it("a time zone that the browser does not list stays selectable", () => {
  expect(listTimeZones("Europe/Zurich")).toContain("UTC");
  expect(listTimeZones("Mars/Olympus")[0]).toBe("Mars/Olympus");
});
