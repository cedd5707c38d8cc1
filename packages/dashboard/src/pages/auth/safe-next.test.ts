import { afterEach, expect, it, vi } from "vitest";
import { safeNext } from "./safe-next.ts";

/** A page of a dashboard at this address, whose server says that it is below the path. */
function openPage(origin: string, basePath: string) {
  vi.stubGlobal("location", { origin });
  vi.stubGlobal("document", { querySelector: () => ({ content: basePath }) });
}

afterEach(() => vi.unstubAllGlobals());

it("the page after sign-in is always a page of the dashboard", () => {
  openPage("https://foyer.example", "");
  expect(safeNext("/dashboard/agents?q=1")).toBe("/dashboard/agents?q=1");
  const wrong = [undefined, "", "https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"];
  // The last ones are not URLs at all.
  for (const next of [...wrong, "/dashboard.evil", "http://[", "//", "https://"])
    expect(safeNext(next)).toBe("/dashboard");
});

it("the page after sign-in is below the path of a server that has one", () => {
  openPage("https://example.com", "/support");
  expect(safeNext("/support/dashboard/agents")).toBe("/support/dashboard/agents");
  expect(safeNext("/dashboard/agents")).toBe("/support/dashboard");
});
