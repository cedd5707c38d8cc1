import { expect, it } from "vitest";
import { describeEmbedding } from "./embedding-text.ts";

it("the embedding progress counts the passages with vectors and those that the provider rejected", () => {
  expect(describeEmbedding({ passages: 0, vectors: 0, skipped: 0 })).toBe("There are no passages to embed yet.");
  expect(describeEmbedding({ passages: 1, vectors: 1, skipped: 0 })).toBe("1 of 1 passage has a vector.");
  expect(describeEmbedding({ passages: 3, vectors: 1, skipped: 1 })).toBe(
    "1 of 3 passages have vectors. The provider rejected 1 passage.",
  );
});
