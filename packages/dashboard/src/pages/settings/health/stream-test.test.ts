import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { judgeArrivals, measureArrivals } from "./stream-test.ts";

const tick = (number: number) => `event: tick\ndata: {"type":"tick","number":${number}}\n\n`;

function answer(chunks: string[], pause: number) {
  const bytes = new TextEncoder();
  return new Response(
    new ReadableStream({
      async start(controller) {
        for (const chunk of chunks) {
          controller.enqueue(bytes.encode(chunk));
          await wait(pause);
        }
        controller.close();
      },
    }),
  );
}

describe("the streaming test", () => {
  it("distinguishes streamed events from buffered ones", () => {
    expect(judgeArrivals([10, 212, 409, 611, 815])).toBe("flows");
    expect(judgeArrivals([815, 815, 816, 816, 816])).toBe("held");
    expect(judgeArrivals([410, 411, 411, 611, 808])).toBe("held");
    expect(judgeArrivals([5, 300, 300, 600, 900])).toBe("flows");
    expect(judgeArrivals([10, 212])).toBe("broken");
    expect(judgeArrivals([])).toBe("broken");
  });

  it("records the arrival of each event", async () => {
    const text = `: hello\n\n${tick(1)}${tick(2)}${tick(3)}`;
    const pieces = [text.slice(0, 15), text.slice(15, 70), text.slice(70)];
    expect(await measureArrivals(answer(pieces, 0))).toHaveLength(3);
    const [first = 0, second = 0] = await measureArrivals(answer([tick(1), tick(2)], 60));
    expect(second - first).toBeGreaterThan(40);
  });
});
