import { expect, it } from "vitest";
import { ExtractionError } from "../extract/extraction-error.ts";
import { unreadableOutcome } from "./read-page.ts";

it.each([
  ["TOO_SLOW", "failed"],
  ["OUT_OF_MEMORY", "failed"],
  ["INTERNAL", "failed"],
  ["DAMAGED", "skipped"],
] as const)(
  "a page that cannot be read because of %s counts as %s, since only skipped pages are removed later",
  (code, state) => {
    expect(unreadableOutcome(new ExtractionError(code, "Why."))).toEqual({
      page: { state, reason: "Why." },
      links: null,
    });
  },
);
