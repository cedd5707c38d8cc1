import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { searchPassages } from "./search-passages.ts";
import type { Meaning } from "./search-vectors.ts";

const question = { organizationId: "org", agentId: "agent", queries: ["Where is my car?"] };
const meaning: Meaning = { model: "test", vectors: [] };

describe("a search of an agent with an embedding model", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** Starts a search, and records whether each call of the index was by words or by meaning. */
  function start() {
    const { promise, resolve } = Promise.withResolvers<Meaning | null>();
    const calls: string[] = [];
    const search = async (query: { meaning?: Meaning | null }) => {
      calls.push(query.meaning ? "meaning" : "words");
      return [];
    };
    const done = searchPassages({ passageSearch: { search }, embedQueries: () => promise }, question);
    return { calls, done, embedded: resolve };
  }

  it("searches by words while the provider is slow, and uses that result if it fails", async () => {
    const { calls, done, embedded } = start();
    await vi.advanceTimersByTimeAsync(300);
    expect(calls).toEqual(["words"]);
    embedded(null);
    await done;
    expect(calls).toEqual(["words"]);
  });

  it("searches by meaning with vectors that arrive late, and once with vectors that arrive promptly", async () => {
    const late = start();
    await vi.advanceTimersByTimeAsync(300);
    late.embedded(meaning);
    await late.done;
    expect(late.calls).toEqual(["words", "meaning"]);
    const prompt = start();
    prompt.embedded(meaning);
    await prompt.done;
    expect(prompt.calls).toEqual(["meaning"]);
  });
});
