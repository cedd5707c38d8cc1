import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createIdleCheck } from "./idle-check.ts";

let isHidden = false;

beforeEach(() => {
  vi.useFakeTimers();
  isHidden = false;
  vi.stubGlobal("document", {
    get hidden() {
      return isHidden;
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("the idle check looks for a member who took over without a request, less and less often while nothing happens", () => {
  const check = vi.fn();
  const life = new AbortController();
  const restart = createIdleCheck(check, life.signal);
  const after = (seconds: number) => {
    vi.advanceTimersByTime(seconds * 1_000);
    return check.mock.calls.length;
  };
  restart();
  expect([after(10), after(10), after(20), after(39), after(1)]).toEqual([1, 2, 3, 3, 4]);
  restart();
  expect([after(9), after(1)]).toEqual([4, 5]);
  after(24 * 3_600);
  expect(vi.getTimerCount()).toBe(0);
  const soFar = check.mock.calls.length;
  expect(soFar).toBeLessThan(5 + 12);
  restart();
  life.abort();
  expect(after(3_600)).toBe(soFar);
});

it("the idle check does nothing while the page is in the background", () => {
  const check = vi.fn();
  createIdleCheck(check, new AbortController().signal)();
  isHidden = true;
  vi.advanceTimersByTime(20_000);
  expect(check).not.toHaveBeenCalled();
  isHidden = false;
  vi.advanceTimersByTime(20_000);
  expect(check).toHaveBeenCalledOnce();
});
