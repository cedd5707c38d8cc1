import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createHugeStream, createPdf } from "../../../../../test/sample-files.ts";
import { extract } from "./extract.ts";
import type { Extracted } from "./extracted.ts";
import { mayHaveSoftHyphens } from "./pdf-soft-hyphens.ts";

const read = (content: Uint8Array): Promise<Extracted> => extract(Buffer.from(content), () => {});
const failure = (content: Uint8Array) =>
  read(content).then(
    () => null,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

describe("reading PDF files", () => {
  it("keeps pages apart, joins lines into paragraphs and hyphenated words, and drops repeated headers", async () => {
    const pages = Array.from({ length: 5 }, (_, index) => [
      "Harbour Bikes price list",
      "For all guests",
      `This is chapter ${["one", "two", "three", "four", "five"][index]} of the hand-`,
      "book for our guests.",
      `Chapter ${"abcde"[index]} ends with this line.`,
      "Printed in the harbour",
      `Page ${index + 1} of 5`,
    ]);
    const { mimeType, blocks } = await read(createPdf(pages));
    expect(mimeType).toBe("application/pdf");
    expect(blocks.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5]);
    expect(blocks[1]?.text).toBe("This is chapter two of the handbook for our guests. Chapter b ends with this line.");
  });

  it("keeps every row of a PDF whose pages begin and end with rows", async () => {
    const pages = Array.from({ length: 5 }, (_, page) => [
      `Chapter ${page + 1}`,
      ...Array.from({ length: 8 }, (_, row) => `Article ${100 + page * 8 + row} costs ${row + page} euros`),
      `${page + 1} / 5`,
    ]);
    const { blocks } = await read(createPdf(pages));
    const text = blocks.map((block) => block.text).join(" ");
    expect(text.match(/Article \d+/g)).toHaveLength(40);
    expect(text.match(/Chapter \d/g)).toHaveLength(5);
    expect(text).not.toContain("/ 5");
  });

  it("keeps the repeated header of a PDF once", async () => {
    const pages = ["north", "south", "east", "west"].map((name) => [
      "Prices in euros",
      `The ${name} route`,
      "a",
      "b",
      "c",
    ]);
    const text = (await read(createPdf(pages))).blocks.map((block) => block.text).join(" ");
    expect(text.match(/Prices in euros/g)).toHaveLength(1);
  });

  it("keeps the hyphens of codes and compounds at line ends of a PDF", async () => {
    const { blocks } = await read(createPdf([["Order the lock AB-", "c12, our well-", "known hand-", "made lock."]]));
    expect(blocks[0]?.text).toBe("Order the lock AB-c12, our well-known handmade lock.");
  });

  const characterMap = (lines: string) => `/CIDInit /ProcSet findresource begin begincmap\n${lines}\nendcmap`;
  const stream = (content: string | Buffer, dictionary = "") =>
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} ${dictionary} >>\nstream\n`),
      Buffer.from(content),
      Buffer.from("\nendstream"),
    ]);

  it.each<[string, Buffer]>([
    ["a character map", stream(characterMap("1 beginbfchar\n<2D> <00AD>\nendbfchar"))],
    [
      "a compressed character map",
      stream(deflateSync(characterMap("1 beginbfchar\n<2D> <00ad>\nendbfchar")), "/Filter /FlateDecode"),
    ],
    ["a range of a character map", stream(characterMap("1 beginbfrange\n<2A> <2D> <00AA>\nendbfrange"))],
  ])("keeps the hyphens of a PDF whose font calls them soft in %s", async (_, map) => {
    const pages = [["An opening page."], ["Second."], ["Third."], ["Section 31.6053-1 of the rules"]];
    const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 20 0 R >>";
    const { blocks } = await read(createPdf(pages, { 3: font, 20: map }));
    expect(blocks.at(-1)?.text).toBe("Section 31.6053-1 of the rules");
  });

  it.each([
    ["<2D> <002D>", false],
    ["<2D> <2D> <00AC>", false],
    ["<2C> <2D> <00AC>", true],
  ])("finds whether the entry %s of a character map can lose hyphens", (entry, expected) => {
    expect(mayHaveSoftHyphens(createPdf([["Text"]], { 20: stream(characterMap(entry)) }))).toBe(expected);
  });

  it("expects soft hyphens in encrypted PDF files, whose character maps it cannot read", () => {
    expect(mayHaveSoftHyphens(createPdf([["Text"]], {}, "/Encrypt 30 0 R"))).toBe(true);
  });

  it("bounds what it decompresses to find the character maps of a PDF", () => {
    expect(mayHaveSoftHyphens(createPdf([["Text"]], { 20: createHugeStream(64) }))).toBe(false);
  });

  it("reads a PDF that contains only numbers", async () => {
    expect((await read(createPdf([["1200", "1350"]]))).blocks[0]?.text).toBe("1200 1350");
  });

  const textOf = async (file: Buffer) => (await read(file)).blocks.map(({ text }) => text).join("\n");
  const fontObject = (encoding: string) =>
    `<< /Type /Font /Subtype /Type0 /BaseFont /Sample /Encoding /${encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Sample /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >> >>] >>`;

  it("reads a PDF whose fonts use a predefined CMap", async () => {
    const content = stream("BT /F1 12 Tf 50 700 Td <81EA8EE28ECA> Tj ET");
    expect(await textOf(createPdf([["x"]], { 3: fontObject("UniJIS-UCS2-H"), 5: content }))).toBe("自転車");
  });

  const page = (extra: string) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R ${extra} >>`;
  const widget = (fields: string, y: number) =>
    `<< /Type /Annot /Subtype /Widget /F 4 /Rect [200 ${y} 400 ${y + 18}] ${fields} >>`;

  it("reads the values of a PDF's form fields beside their labels, without hidden ones and passwords", async () => {
    const annotations = [
      widget("/FT /Tx /T (name) /V (Harbour Riders)", 745),
      widget("/FT /Ch /T (size) /V (m) /Ff 131072 /Opt [[(s) (Small)] [(m) (Medium)]]", 731),
      widget("/FT /Btn /T (paid) /V /Yes /AS /Yes /AP << /N << /Yes 5 0 R /Off 5 0 R >> >>", 717),
      widget("/FT /Tx /T (pin) /Ff 8192 /V (1234)", 703),
      widget("/FT /Tx /T (internal) /V (Hidden)", 689).replace("/F 4", "/F 2"),
    ];
    const file = createPdf([["Club:", "Size:", "Paid:"]], {
      1: "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R] >> >>",
      4: page("/Annots [10 0 R 11 0 R 12 0 R 13 0 R 14 0 R]"),
      ...Object.fromEntries(annotations.map((annotation, index) => [10 + index, annotation])),
    });
    expect(await textOf(file)).toBe("Club: Harbour Riders Size: Medium Paid: [x]");
  });

  it("refuses the shell of a dynamic form", async () => {
    const shell = "Please wait... If this message is not eventually replaced by the proper contents of the document,";
    expect(await failure(createPdf([[shell]]))).toBe("NOT_SUPPORTED");
  });

  const rows = (cells: readonly (readonly [string, string])[]) =>
    stream(
      `BT /F1 11 Tf ${cells.map(([left, right], row) => `1 0 0 1 60 ${700 - row * 14} Tm (${left}) Tj 1 0 0 1 330 ${700 - row * 14} Tm (${right}) Tj`).join("\n")} ET`,
    );

  it("reads columns of prose one after the other, although the PDF writes them row by row", async () => {
    const content = rows([
      ["The committee read the annual", "approved the budget for the"],
      ["report and the plans and then", "coming fiscal year."],
    ]);
    expect(await textOf(createPdf([["x"]], { 5: content }))).toBe(
      "The committee read the annual report and the plans and then approved the budget for the coming fiscal year.",
    );
  });

  it("keeps the cells of a PDF's table in their rows", async () => {
    const content = rows([
      ["City bike with gears", "20 euros a day"],
      ["Cargo bike with box", "35 euros a day"],
    ]);
    expect(await textOf(createPdf([["x"]], { 5: content }))).toBe(
      "City bike with gears 20 euros a day Cargo bike with box 35 euros a day",
    );
  });

  it("keeps superscript digits of a PDF apart from the number before them", async () => {
    const raised = (base: string, x: number, digits: string) =>
      `1 0 0 1 ${x} 700 Tm /F1 12 Tf (${base}) Tj 1 0 0 1 ${x + base.length * 6.67} 705 Tm /F1 7 Tf (${digits}) Tj`;
    const content = stream(`BT ${raised("10", 50, "6")} ${raised("2827,", 150, "3")} ET`);
    expect(await textOf(createPdf([["x"]], { 5: content }))).toBe("10^6 2827, 3");
  });

  it("keeps the order of Arabic letters that a font joins into one glyph", async () => {
    // The glyphs of السلام from left to right: م, لا, س, ل, ا
    const map = ["<41> <0645>", "<42> <06440627>", "<43> <0633>", "<44> <0644>", "<45> <0627>"];
    const toUnicode = stream(
      `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange ${map.length} beginbfchar ${map.join(" ")} endbfchar endcmap end`,
    );
    const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 20 0 R >>";
    const content = stream("BT /F1 12 Tf 50 700 Td (ABCDE) Tj ET");
    expect(await textOf(createPdf([["x"]], { 3: font, 5: content, 20: toUnicode }))).toBe("السلام");
  });

  it("names the pages of a PDF that have no text", async () => {
    const { warnings } = await read(createPdf([["Text"], [""], ["Text"], [""]]));
    expect(warnings).toMatchObject([
      { code: "PAGES_WITHOUT_TEXT", count: 2, message: expect.stringContaining("(2, 4)") },
    ]);
  });

  it("explains why a PDF cannot be read", async () => {
    expect(await failure(createPdf([[""]]))).toBe("NO_TEXT");
    expect(await failure(Buffer.from("%PDF-1.7\nthis is no PDF"))).toBe("DAMAGED");
    const key = `<${"41".repeat(32)}>`;
    const encryption = `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`;
    const id = "/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]";
    expect(await failure(createPdf([["Secret"]], { 9: encryption }, `/Encrypt 9 0 R ${id}`))).toBe("ENCRYPTED");
    const kids = Array.from({ length: 2_001 }, () => "4 0 R").join(" ");
    expect(await failure(createPdf([["Text"]], { 2: `<< /Type /Pages /Kids [${kids}] /Count 2001 >>` }))).toBe(
      "TOO_MANY_PAGES",
    );
  });
});
