import { afterAll, expect, it } from "vitest";
import { createExtractor } from "./extractor.ts";
import { docxFile, hugeStream, pdfFile, zip } from "./sample-files.ts";

const extractor = createExtractor({ silenceMs: 3_000 });
afterAll(() => extractor.close());

const job = { kind: "file", title: "T", isUnnamed: false } as const;

async function* inParts(content: Buffer) {
  for (let start = 0; start < content.length; start += 262_144) yield content.subarray(start, start + 262_144);
}

/** @returns the number of chunks, or the code of the error */
function read(content: Buffer | string, reader = extractor): Promise<number | string> {
  const reading = reader.extract(job, inParts(Buffer.from(content)), () => {});
  return reading.then(
    ({ prepared }) => prepared.chunks.length,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

const pageLoop = { 2: "<< /Type /Pages /Kids [2 0 R] /Count 1 >>" };

it.each([
  ["a PDF that unpacks to 300 MB", pdfFile([["x"]], { 5: hugeStream(300) }), "OUT_OF_MEMORY"],
  ["a PDF whose pages contain themselves", pdfFile([["x"]], pageLoop), "DAMAGED"],
  ["a DOCX file with half a million open elements", docxFile("<w:p>".repeat(500_000)), "TOO_SLOW"],
  [
    "an archive of 12,000 parts",
    zip(Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`word/${n}.xml`, "x"]))),
    "TOO_LARGE",
  ],
])("fails %s with a reason, and reads the next file", async (_, file, code) => {
  expect(["OUT_OF_MEMORY", "TOO_SLOW", code]).toContain(await read(file));
  expect(await read("A city bike costs 20 € a day.")).toBe(1);
});

it("reads files one after the other, in the order of the requests", async () => {
  expect(await Promise.all(["One.", "Two.", "Three."].map((text) => read(text)))).toEqual([1, 1, 1]);
});

it("ends the idle extraction process and starts another one for the next file", async () => {
  const idle = createExtractor({ idleMs: 50 });
  expect(await read("One.", idle)).toBe(1);
  await expect.poll(idle.pid).toBeUndefined();
  expect(await read("Two.", idle)).toBe(1);
  idle.close();
});

it("fails the file that is being read when the extractor is closed", async () => {
  const closing = createExtractor();
  const reading = read(docxFile("<w:p>".repeat(500_000)), closing);
  await expect.poll(closing.pid).toBeDefined();
  closing.close();
  expect(await reading).toBe("The server is shutting down.");
});
