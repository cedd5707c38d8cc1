import { describe, expect, it } from "vitest";
import { neutralizeMentions, splitText, toOneLine } from "./chat-text.ts";

describe("the text of team chats", () => {
  it("is split between lines or words, never inside a character, and says when it was shortened", () => {
    const split = (text: string, maxParts = 9) => splitText(text, { max: 10, maxParts, ending: " (more)" });
    expect(split("short")).toEqual(["short"]);
    expect(split("one two three four")).toEqual(["one two", "three four"]);
    expect(split("a\nlonger line")).toEqual(["a\nlonger", "line"]);
    expect(split("x".repeat(9) + "😀".repeat(3))).toEqual(["xxxxxxxxx", "😀😀😀"]);
    expect(split("x".repeat(25), 2)).toEqual(["xxxxxxxxxx", "xx… (more)"]);
    expect(split(" ".repeat(30)).join("")).toBe("");
    for (const part of split("lorem ipsum 😀 dolor ".repeat(20), 4)) expect(part.length).toBeLessThanOrEqual(10);
  });

  it("keeps email addresses, paths and links, and neutralizes mentions and commands", () => {
    const same = ["a@b.example", "https://a.example/b?c=/d", "and/or", "@ /", "</b>"];
    for (const text of same) expect(neutralizeMentions(text)).toBe(text);
    expect(neutralizeMentions("(@ada) /close")).toBe("(@\u2060ada) /\u2060close");
  });

  it("becomes one line for a title", () => {
    expect(toOneLine(" a\r\n\tb\u2028c ", 10)).toBe("a b c");
    expect(toOneLine("abcdef", 4)).toBe("abc…");
  });
});
