import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PanelContext } from "../panel/panel-context.ts";
import { createSavedUploads } from "./saved-uploads.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The uploads of a visitor whose browser keeps what is written. */
function createUploads() {
  const kept = new Map<string, unknown>();
  const core = {
    storage: {
      read: (_kind: string, key: string) => kept.get(key) ?? null,
      write: (_kind: string, key: string, value: unknown) => kept.set(key, JSON.parse(JSON.stringify(value))),
    },
    visitor: { sessionId: "session", current: null, identity: null },
    agent: { attachments: { images: true, files: true, handoffOnly: false } },
  };
  return createSavedUploads({ core } as unknown as PanelContext);
}

const upload = (keptSeconds: number) => ({
  id: `att_${keptSeconds}`,
  name: "plan.png",
  type: "image/png" as const,
  size: 1,
  width: 1,
  height: 1,
  keptSeconds,
});

it("keeps each unsent upload for most of the time for which the server keeps it, and not longer", () => {
  const uploads = createUploads();
  uploads.write([upload(60), upload(3_600)]);
  const idsAfter = (seconds: number) => {
    vi.advanceTimersByTime(seconds * 1_000);
    return uploads.read().map(({ id }) => id);
  };
  expect(idsAfter(45)).toEqual(["att_60", "att_3600"]);
  expect(idsAfter(15)).toEqual(["att_3600"]);
  expect(idsAfter(2_900)).toEqual(["att_3600"]);
  expect(idsAfter(600)).toEqual([]);
});
