import { expect, it } from "vitest";
import { describeReturningPages } from "./returning-pages.tsx";

it("a dialog that deletes pages of a site says that they will be added again, and how to exclude them", () => {
  expect(describeReturningPages(1, 1)).toBe(
    "This page belongs to a site and is added again by its next sync. To prevent that, exclude its path in the site's settings, or disable the document instead.",
  );
  expect(describeReturningPages(1, 3)).toMatch(
    /^1 page belongs to a site and is added again by the next sync\..* disable the documents/,
  );
  expect(describeReturningPages(2, 3)).toMatch(
    /^2 pages belong to a site and are added again by the next sync\..* exclude the paths/,
  );
});
