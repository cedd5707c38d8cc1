import { describe, expect, it, onTestFinished, vi } from "vitest";
import { judgeArrivals, measureArrivals } from "./stream-test.ts";

const tick = (number: number) => `event: tick\ndata: {"type":"tick","number":${number}}\n\n`;

const encode = (text: string) => new TextEncoder().encode(text);

describe("the streaming test", () => {
  it("distinguishes streamed events from buffered ones", () => {
    expect(judgeArrivals([10, 212, 409, 611, 815])).toBe("flows");
    expect(judgeArrivals([815, 815, 816, 816, 816])).toBe("held");
    expect(judgeArrivals([410, 411, 411, 611, 808])).toBe("held");
    expect(judgeArrivals([5, 300, 300, 600, 900])).toBe("flows");
    expect(judgeArrivals([10, 212])).toBe("broken");
    expect(judgeArrivals([])).toBe("broken");
  });

  it("records every event, however the stream is cut", async () => {
    const text = `: hello\n\n${tick(1)}${tick(2)}${tick(3)}`;
    const pieces = [text.slice(0, 15), text.slice(15, 70), text.slice(70)];
    const stream = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(encode(piece));
        controller.close();
      },
    });
    expect(await measureArrivals(new Response(stream))).toHaveLength(3);
  });

  it("records each event when it arrives", async () => {
    const { readable, writable } = new TransformStream<Uint8Array>();
    const writer = writable.getWriter();
    const times = [10, 250];
    // The second event is sent once the first has been recorded.
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      void (times.length === 2 ? writer.write(encode(tick(2))) : writer.close());
      return times.shift() ?? 0;
    });
    onTestFinished(() => clock.mockRestore());
    void writer.write(encode(tick(1)));
    expect(await measureArrivals(new Response(readable))).toEqual([10, 250]);
  });
});
