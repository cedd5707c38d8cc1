import { describe, expect, it } from "vitest";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { createSiteClient } from "./site-client.ts";

const page = { status: 200, headers: {}, body: Buffer.from("Text"), truncated: false, durationMs: 1 };
const outbound = { request: async () => page } as unknown as Outbound;

describe("the site client", () => {
  it("asks a host again after a request was aborted while it got its turn", async () => {
    const client = createSiteClient(outbound);
    const options = { url: "https://example.com/", maxBytes: 1_000, crawlDelayMs: null };
    const stopped = new AbortController();
    const aborted = client.get({ ...options, signal: stopped.signal });
    stopped.abort(new Error("stopped"));
    await expect(aborted).rejects.toThrow("stopped");
    const signal = AbortSignal.timeout(2_000);
    expect(await client.get({ ...options, signal })).toMatchObject({ status: 200 });
  });
});
