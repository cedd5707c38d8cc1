import { expect, it } from "vitest";
import { judgeDisk } from "./server-checks.ts";

it.each([
  [0, "failure", "0 MB are free."],
  [99.9, "failure", "99 MB are free."],
  [100, "warning", "100 MB are free."],
  [1_023, "warning", "1023 MB are free."],
  [1_024, "ok", "1024 MB are free."],
  [51_200, "ok", "50 GB are free."],
] as const)("rates a disk with %d MB left as %s", (free, state, detail) => {
  expect(judgeDisk(free)).toMatchObject({ state, detail });
});
