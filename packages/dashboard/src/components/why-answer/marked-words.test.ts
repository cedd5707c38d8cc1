import { describe, expect, it } from "vitest";
import { splitAtWords } from "./marked-words.tsx";

describe("marking the words of a question in a passage", () => {
  it("marks whole words in any case, also longer ones with the same beginning, but nothing inside a word", () => {
    expect(splitAtWords("Returns: return a bike, no preturn", ["return"])).toEqual([
      "",
      "Returns",
      ": ",
      "return",
      " a bike, no preturn",
    ]);
  });

  it("marks a short word only as a whole word", () => {
    expect(splitAtWords("A bike and a bell", ["a"])).toEqual(["", "A", " bike and ", "a", " bell"]);
  });

  it("treats the words as plain text, not as a pattern", () => {
    expect(splitAtWords("a c++ b", ["c", "c++"])).toEqual(["a ", "c++", " b"]);
    expect(splitAtWords("自転車を返品する", ["返品"])).toEqual(["自転車を", "返品", "する"]);
    expect(splitAtWords("anything", [" "])).toEqual(["anything"]);
  });
});
