import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type CompletionEvent, createEventParser } from "./chat-completion-events.ts";

afterEach(() => vi.restoreAllMocks());

/** The parts of an event that its reader uses. */
function parseTwice(event: CompletionEvent) {
  const { delta, finish_reason } = event.choices?.[0] ?? {};
  const { content, refusal, reasoning_content, reasoning, tool_calls } = delta ?? {};
  const members = { content, refusal, reasoning_content, reasoning, tool_calls, finish_reason };
  const others = { error: event.error, isError: event.object === "error", usage: event.usage };
  return Object.fromEntries(Object.entries({ ...members, ...others }).filter(([, value]) => value));
}

const textEvent = (content: string, rest = '"finish_reason":null') =>
  `{"id":"c","choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}},${rest}}],"usage":null}`;

describe("the parser of chat completion events", () => {
  it("does not parse an event again that differs from the previous one only in its text", () => {
    const parse = createEventParser();
    expect(parseTwice(parse(textEvent("Hel")))).toEqual({ content: "Hel" });
    const parseJson = vi.spyOn(JSON, "parse");
    for (const text of ["lo", "", " – 你好 👋", "/"])
      expect(parse(textEvent(text)).choices?.[0]?.delta?.content).toBe(text);
    expect(parseJson).not.toHaveBeenCalled();
  });

  it.each([
    ["an escape sequence", textEvent('say "hi"\n')],
    ["a reason to finish", textEvent("end", '"finish_reason":"stop"')],
    ["a shorter event that starts and ends in the same way", '{"id":"c","choices":[{"index":0,"delta":{"content":"'],
    ["a text that ends its member", textEvent("a").replace('"a"', '"a","refusal":"no"')],
    ["another member before the text", textEvent("a").replace('"content"', '"reasoning":"b","content"')],
  ])("parses an event with %s", (_, json) => {
    const parse = createEventParser();
    parse(textEvent("a"));
    parse(textEvent("b"));
    const attempt = () => parseTwice(parse(json));
    if (json.endsWith("}")) expect(attempt()).toEqual(parseTwice(JSON.parse(json)));
    else expect(attempt).toThrow(SyntaxError);
  });

  it.each([
    ["two members with its name", '{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"a"}}]}'],
    ["its name in another text", '{"note":"\\"content\\":\\"a\\"","choices":[{"delta":{"content":"a"}}]}'],
    ["its name at the end of another name", '{"my\\"content":"a","choices":[{"delta":{"content":"a"}}]}'],
    ["a name with an escape sequence", '{"content":"a","choices":[{"delta":{"\\u0063ontent":"a"}}]}'],
  ])("finds the text of an event with %s", (_, json) => {
    const others = [json.replaceAll('"a"', '"b"'), json.replace(/"a"(?!.*"a")/, '"c"'), json.replace('"a"', '"d"')];
    for (const other of others) {
      const parse = createEventParser();
      parse(json);
      expect(parseTwice(parse(other))).toEqual(parseTwice(JSON.parse(other)));
    }
  });

  it("refuses text that is not JSON, also with the surroundings of the previous event", () => {
    const parse = createEventParser();
    parse(textEvent("a"));
    expect(() => parse(textEvent("b").replace('"b"', '"b\tc"'))).toThrow(SyntaxError);
    expect(() => parse("{")).toThrow("The model sent a line that is not valid JSON.");
  });

  it("reads the same from any sequence of events as JSON.parse", () => {
    const text = fc.oneof(
      fc.constantFrom("a", "b", "", '"', "\\", "content", '"content":"a"'),
      fc.string({ unit: "binary" }),
    );
    const value = fc.oneof(text, fc.constantFrom(null, 0, true, {}, []));
    const members = ["content", "reasoning", "reasoning_content", "refusal", "tool_calls"] as const;
    const delta = fc.record(Object.fromEntries(members.map((name) => [name, value])), { requiredKeys: [] });
    const choice = fc.record({ delta: fc.option(delta), finish_reason: value, content: text }, { requiredKeys: [] });
    const event = fc.record(
      { id: text, object: value, error: value, usage: value, content: text, choices: fc.array(fc.option(choice)) },
      { requiredKeys: [] },
    );
    const only = text.map((content) => ({ id: "c", choices: [{ delta: { content }, finish_reason: null }] }));
    const json = fc.tuple(fc.oneof(event, { arbitrary: only, weight: 3 }), fc.constantFrom(0, 1));
    fc.assert(
      fc.property(fc.array(json, { maxLength: 8 }), (events) => {
        const parse = createEventParser();
        for (const [value, indent] of events) {
          const written = JSON.stringify(value, null, indent);
          expect(parseTwice(parse(written))).toEqual(parseTwice(JSON.parse(written)));
        }
      }),
    );
  });
});
