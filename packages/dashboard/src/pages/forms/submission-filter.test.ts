import { describe, expect, it } from "vitest";
import { createCsvUrl, isFiltered, pageQuery, readPage, toFilter } from "./submission-filter.ts";

describe("toFilter", () => {
  it("interprets days in the user's time zone", () => {
    // The time zone of the tests is UTC+5:30, so a day begins at 18:30 UTC.
    expect(toFilter("agent_1", { from: "2026-01-31", to: "2026-01-31" })).toEqual({
      agentId: "agent_1",
      from: "2026-01-30T18:30:00.000Z",
      to: "2026-01-31T18:30:00.000Z",
    });
  });

  it("ignores parameters that the server would reject", () => {
    const search = { status: "constructor", toolId: "", from: "yesterday", to: "2026-1-1" };
    expect(toFilter("agent_1", search)).toEqual({ agentId: "agent_1" });
    expect(toFilter("agent_1", { from: "2026-02-31", to: "2026-13-01" })).toEqual({ agentId: "agent_1" });
    expect(toFilter("agent_1", { status: "failed", toolId: "tool_1" })).toEqual({
      agentId: "agent_1",
      status: "failed",
      toolId: "tool_1",
    });
  });
});

it("the list of submissions requests 100 per page", () => {
  expect(pageQuery("agent_1", { page: 3 })).toEqual({ agentId: "agent_1", limit: 100, offset: 200 });
  expect(
    [undefined, 0, -1, 1.5, Number.NaN, 1e12, 7].map((page) => readPage(page === undefined ? {} : { page })),
  ).toEqual([1, 1, 1, 1, 1, 1, 7]);
});

it("the list of submissions links to a CSV export with the same filter", () => {
  expect(createCsvUrl("agent_1", { status: "failed", page: 4 })).toBe(
    "/form-submissions?format=csv&agentId=agent_1&status=failed",
  );
});

it("the list of submissions does not treat the page as a filter", () => {
  expect([{}, { page: 2 }, { status: "failed" }, { to: "2026-01-31" }].map(isFiltered)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
