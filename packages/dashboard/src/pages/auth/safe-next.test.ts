import { afterEach, expect, it, vi } from "vitest";
import { safeNext } from "./safe-next.ts";

afterEach(() => vi.unstubAllGlobals());

it("the page after sign-in is always a page of the dashboard", () => {
  vi.stubGlobal("location", { origin: "https://foyer.example" });
  expect(safeNext("/dashboard/agents?q=1")).toBe("/dashboard/agents?q=1");
  const wrong = [undefined, "", "https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"];
  // The last ones are not URLs at all.
  for (const next of [...wrong, "/dashboard.evil", "http://[", "//", "https://"])
    expect(safeNext(next)).toBe("/dashboard");
});
