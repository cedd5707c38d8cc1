import { describe, expect, it, vi } from "vitest";
import type { ModelPart } from "./chat-model.ts";
import { createThoughtFilter } from "./thoughts.ts";

const DAY_MS = 24 * 3_600_000;
let keys = 0;
const newKey = () => `model ${++keys}`;
const finishWith = (unified: "stop" | "length") => ({ type: "finish", finishReason: { unified } }) as ModelPart;
const call: ModelPart = { type: "tool-call", toolCallId: "1", toolName: "find", input: "{}" };
const delta = (text: string): ModelPart => ({ type: "text-delta", id: "1", delta: text });
const field: ModelPart = { type: "reasoning-delta", id: "r", delta: "Hm" };

type Step = Array<string | ModelPart>;

/** Runs one step. `deltas` are the texts as they reach the visitor, `hidden` is what they do not read. */
function runStep(
  parts: Step,
  {
    key = newKey(),
    modelId = "test",
    finish = finishWith("stop"),
    isAskedToThink = false,
    create = createThoughtFilter,
  } = {},
) {
  const deltas: string[] = [];
  let hidden = "";
  const filter = create({ key, modelId, isAskedToThink }, (part) => {
    if (part.type === "text-delta") deltas.push(part.delta);
    if (part.type === "reasoning-delta" && part !== field) hidden += part.delta;
  });
  for (const part of [...parts, finish]) filter(typeof part === "string" ? delta(part) : part);
  return { deltas, text: deltas.join(""), hidden };
}

/**
 * Runs a step, and another one just before and just after a day has passed, with a memory of its own.
 * @returns the texts of the later steps
 */
async function runThroughADay(first: Step, modelId: string): Promise<string[][]> {
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  // The memory reads the clock again after a timer.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.resetModules();
  const { createThoughtFilter: create } = await import("./thoughts.ts");
  const key = newKey();
  const runAfter = (milliseconds: number) => {
    now += milliseconds;
    vi.advanceTimersByTime(1_000);
    return runStep(["We ", "open."], { key, modelId, create }).deltas;
  };
  runStep(first, { key, modelId, create });
  const texts = [runAfter(DAY_MS - 10), runAfter(20)];
  vi.useRealTimers();
  clock.mockRestore();
  return texts;
}

const blocks: Array<[string, string]> = [
  ["<think>", "</think>"],
  ["<Thinking>", "</thinking>"],
  ["<REASONING>", "</Reasoning>"],
  ["<thought>", "</thought>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<seed:think>", "</seed:think>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
];

describe("thoughts in the text", () => {
  it.each(blocks)("between %s and %s are hidden at every split", (opening, closing) => {
    const text = `\n ${opening}The margin is 30 %.${closing}\n\nWe open at 9. </think> ends thoughts.`;
    const expected = "We open at 9. </think> ends thoughts.";
    for (let place = 0; place <= text.length; place++) {
      const { text: shown, hidden } = runStep([text.slice(0, place), text.slice(place)]);
      expect(shown).toBe(expected);
      expect(hidden + shown).toBe(text);
    }
    expect(runStep([...text]).text).toBe(expected);
  });

  it.each(blocks)("after %s are hidden to the end when %s never comes", (opening) => {
    expect(runStep([opening, "The margin is 30 %."]).text).toBe("");
  });

  it.each([
    ["a tag later in the text", ["Write <think>", "this</think>."]],
    ["a longer tag", ["<thinker>", " is text."]],
    ["the start of a tag at the end of the text", ["<thin"]],
    ["white space before the text", ["\n\n", "  We open."]],
    ["a closing tag in the middle of a line", ["The tag `</think>` ends ", "thoughts."]],
  ])("are not %s", (_, parts) => {
    expect(runStep(parts).text).toBe(parts.join(""));
  });

  it("can have letters whose lowercase form is longer", () => {
    expect(runStep(["<think>İİİ</think>Merhaba"]).text).toBe("Merhaba");
  });

  it("are passed on while they arrive", () => {
    const emitted: ModelPart[] = [];
    const filter = createThoughtFilter({ key: newKey(), modelId: "test" }, (part) => emitted.push(part));
    filter(delta(`<think>${"x".repeat(1_000)}`));
    expect(emitted).toHaveLength(2);
  });

  it("fail above 1 MiB", () => {
    const pieces = Array.from({ length: 18 }, () => "x".repeat(64 * 1024));
    expect(() => runStep(["<think>", ...pieces])).toThrow("1 MiB");
  });

  it("are not a text of white space, which is left out", () => {
    expect(runStep(["\n", "\n"]).deltas).toEqual([]);
  });

  it("stream the text of a model that is not known to think at once", () => {
    expect(runStep(["We ", "open."]).deltas).toEqual(["We ", "open."]);
  });
});

describe("the text of a model that is known to think", () => {
  const modelId = "deepseek/deepseek-r1:free";

  it("is held back to its closing tag, because the template may have opened the block", () => {
    const text = "The margin is 30 %.\n</think>\n\nWe open at 9.";
    for (let place = 0; place <= text.length; place++) {
      expect(runStep([text.slice(0, place), text.slice(place)], { modelId }).text).toBe("We open at 9.");
    }
  });

  it("is all text when there is no closing tag", () => {
    expect(runStep(["We ", "open."], { modelId }).deltas).toEqual(["We open."]);
  });

  it.each([
    ["sent its thoughts in a field", [field, "We open."]],
    ["began with a tag", ["<think>Hm</think>We open."]],
  ])("streams at once after the model has %s", (_, parts) => {
    const key = newKey();
    runStep(parts, { key, modelId });
    expect(runStep(["We ", "open."], { key, modelId }).deltas).toEqual(["We ", "open."]);
  });

  it("is held back again after a reply without thoughts", () => {
    const key = newKey();
    runStep(["We open."], { key, modelId });
    expect(runStep(["The margin is 30 %.", "\n</think>", "We open."], { key, modelId }).deltas).toEqual(["We open."]);
  });

  it("is held back again a day after the model began with a tag", async () => {
    const texts = await runThroughADay(["<think>Hm</think>We open."], modelId);
    expect(texts).toEqual([["We ", "open."], ["We open."]]);
  });

  it.each(["qwq:32b", "Qwen/Qwen3-8B", "magistral-small", "zai/glm-4.5", "MiniMax-M1", "kimi-k2-thinking"])(
    "is held back for %s",
    (name) => {
      expect(runStep(["The margin is 30 %.", "\n</think>", "We open."], { modelId: name }).text).toBe("We open.");
    },
  );

  it("is held back for any model that is asked to think", () => {
    const parts = ["The margin is 30 %.", "\n</think>", "We open."];
    expect(runStep(parts, { modelId: "plain", isAskedToThink: true }).text).toBe("We open.");
  });

  it("is not held back after thoughts in a field of the same step", () => {
    expect(runStep([field, "We ", "open."], { modelId }).deltas).toEqual(["We ", "open."]);
  });

  it("fails above 1 MiB", () => {
    expect(() =>
      runStep(
        Array.from({ length: 18 }, () => "x".repeat(64 * 1024)),
        { modelId },
      ),
    ).toThrow("1 MiB");
  });
});

it("a lone closing tag in the shown text makes the next step wait for one", () => {
  const key = newKey();
  expect(runStep(["The margin ", "is 30 %.\n</think>", "\n\nWe open."], { key }).text).toContain("</think>");
  expect(runStep(["The margin ", "is 30 %.", "</think>We open."], { key }).text).toBe("We open.");
});

describe("the text of a model that closes its thoughts without opening them", () => {
  const learn = () => {
    const key = newKey();
    runStep(["The margin ", "is 30 %.\n</think>", "\n\nWe open."], { key });
    return key;
  };

  it("is thoughts when the step was cut off before the closing tag", () => {
    expect(runStep(["The margin ", "is"], { key: learn(), finish: finishWith("length") }).text).toBe("");
  });

  it("is thoughts when a call of a tool follows", () => {
    expect(runStep(["The margin ", "is", call], { key: learn() }).text).toBe("");
  });

  it("is held back after a complete reply without a closing tag, too", () => {
    const key = learn();
    runStep(["We ", "open."], { key });
    expect(runStep(["We ", "open."], { key }).deltas).toEqual(["We open."]);
  });

  it("is held back for a day after the last closing tag", async () => {
    const texts = await runThroughADay(["The margin ", "is 30 %.\n</think>", "\n\nWe open."], "test");
    expect(texts).toEqual([["We open."], ["We ", "open."]]);
  });
});

it("a lone closing tag that arrives with the first words hides them", () => {
  expect(runStep(["The margin is 30 %.\n</think>\n\nWe open."]).text).toBe("We open.");
});
