import type { AgentTestCheck } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { describeCheck } from "./check-labels.ts";

describe("a check in one line", () => {
  it.each<[AgentTestCheck, string]>([
    [{ kind: "says", text: "9 am" }, "Says “9 am”"],
    [{ kind: "never_says", text: "discount" }, "Never says “discount”"],
    [{ kind: "tool_called", tool: "rental_price", arguments: { days: 2 } }, 'Calls Rental price with {"days":2}'],
    [{ kind: "tool_not_called", tool: "book" }, "Does not call Book"],
    [{ kind: "language", language: "de" }, "Replies in Deutsch"],
    [{ kind: "language", language: "sv" }, "Replies in sv"],
    [{ kind: "cites", document: "Prices" }, "Cites “Prices”"],
    [{ kind: "asks_for_person" }, "Asks for a person"],
    [{ kind: "refuses" }, "Declines"],
    [{ kind: "max_words", n: 1 }, "At most 1 word"],
    [{ kind: "judge", text: "is friendly" }, "Judged by the model: is friendly"],
  ])("describes %j", (check, text) => {
    expect(describeCheck(check)).toBe(text);
  });
});
