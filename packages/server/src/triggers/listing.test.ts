import { describe, expect, it } from "vitest";
import { matchesEtag } from "../http/etag.ts";
import { createListingCache, type Listing, toListing } from "./listing.ts";

const listing = (name: string) => toListing({ id: "agent_1", allowedOrigins: "[]" }, [{ name }]);

describe("the listing cache", () => {
  /** A cache with its own clock, and a source that counts its reads. */
  function setUp() {
    const state = { now: 1_000, text: "first", reads: 0 };
    const cache = createListingCache(() => state.now);
    const read = async () => {
      state.reads++;
      return listing(state.text);
    };
    const get = async (id = "agent_1") => JSON.parse((await cache.get(id, read)).body)[0].name;
    return { state, cache, get };
  }

  it("reads a listing at most once a second", async () => {
    const { state, get } = setUp();
    expect(await get()).toBe("first");
    state.text = "second";
    state.now += 800;
    expect([await get(), state.reads]).toEqual(["first", 1]);
    state.now += 200;
    expect([await get(), state.reads]).toEqual(["second", 2]);
  });

  it("keeps agents apart and reads an invalidated listing immediately", async () => {
    const { state, cache, get } = setUp();
    expect([await get("agent_1"), await get("agent_2")]).toEqual(["first", "first"]);
    state.text = "second";
    cache.forget("agent_1");
    expect([await get("agent_1"), await get("agent_2")]).toEqual(["second", "first"]);
  });

  it("shares one read among concurrent callers", async () => {
    const { state, get } = setUp();
    expect(await Promise.all([get(), get(), get()])).toEqual(["first", "first", "first"]);
    expect(state.reads).toBe(1);
  });

  it("does not store a read that was invalidated while it ran", async () => {
    const cache = createListingCache();
    const slow = Promise.withResolvers<Listing>();
    const early = cache.get("agent_1", () => slow.promise);
    cache.forget("agent_1");
    const late = await cache.get("agent_1", async () => listing("new"));
    slow.resolve(listing("old"));
    expect(await early).toEqual(listing("old"));
    expect(late).toEqual(listing("new"));
    expect(await cache.get("agent_1", async () => listing("newer"))).toEqual(listing("new"));
  });

  it("reads again after a failure", async () => {
    const { cache, get } = setUp();
    await expect(async () => cache.get("agent_1", () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await get()).toBe("first");
  });
});

describe("the ETag of a listing", () => {
  it("changes with the content", () => {
    expect(listing("a").headers.etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(listing("a").headers.etag).toBe(listing("a").headers.etag);
    expect(listing("a").headers.etag).not.toBe(listing("b").headers.etag);
  });

  it.each([
    [undefined, false],
    ["", false],
    ['W/"abc"', true],
    ['"abc"', true],
    ['"x", W/"abc" ,"y"', true],
    ["*", true],
    ['W/"abcd"', false],
    ["abc", false],
  ])("matches If-None-Match %s: %s", (header, expected) => {
    expect(matchesEtag(header, 'W/"abc"')).toBe(expected);
  });
});
