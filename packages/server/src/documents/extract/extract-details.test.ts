import { describe, expect, it } from "vitest";
import { createDocx, createXlsx, paragraph, relationships, zip } from "../../../../../test/sample-files.ts";
import { declaredType } from "./declared-type.ts";
import { extract } from "./extract.ts";
import type { Extracted } from "./extracted.ts";
import { insertHyphens } from "./pdf-soft-hyphens.ts";

const read = (content: string | Uint8Array): Promise<Extracted> => extract(Buffer.from(content), () => {});
const texts = async (content: string | Uint8Array) => (await read(content)).blocks.map(({ text }) => text);
const links = (...targets: Array<[type: string, target: string]>) =>
  `<Relationships>${targets.map(([type, target], n) => `<Relationship Id="r${n}" Type="x/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const shape = (text: string, placeholder = "") =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

describe("reading details of DOCX files", () => {
  it("reads the text of a button field, which is part of its instruction", async () => {
    const field = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> MACROBUTTON NoMacro Proposal 1: rent it</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    expect(await texts(createDocx(field))).toEqual(["Proposal 1: rent it"]);
  });

  it("reads the results of simple fields, and text with its own direction", async () => {
    const field = `<w:fldSimple w:instr=" MERGEFIELD Name "><w:r><w:t>City bike</w:t></w:r></w:fldSimple>`;
    const turned = `<w:bdo w:val="ltr"><w:r><w:t xml:space="preserve"> for 20 €</w:t></w:r></w:bdo>`;
    expect(await texts(createDocx(`<w:p>${field}${turned}</w:p>`))).toEqual(["City bike for 20 €"]);
  });

  it("reads characters without the pronunciation above them", async () => {
    const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
    const ruby = `<w:r><w:ruby><w:rubyPr><w:hps w:val="12"/></w:rubyPr><w:rt>${run("とうきょう")}</w:rt><w:rubyBase>${run("東京")}</w:rubyBase></w:ruby></w:r>`;
    expect(await texts(createDocx(`<w:p>${ruby}${run("の自転車")}</w:p>`))).toEqual(["東京の自転車"]);
  });

  it("says how many pieces of text tracked changes delete", async () => {
    const deleted = `<w:p><w:del w:id="1" w:author="A"><w:r><w:delText>30 €</w:delText></w:r></w:del><w:r><w:t>20 €</w:t></w:r></w:p>`;
    const { blocks, warnings } = await read(createDocx(deleted));
    expect(blocks.map(({ text }) => text)).toEqual(["20 €"]);
    expect(warnings).toMatchObject([{ code: "DELETED_TEXT", count: 1 }]);
  });

  it("counts the symbols whose font does not say what they are", async () => {
    const symbol = `<w:p><w:r><w:t>Open</w:t></w:r><w:r><w:sym w:font="Own Icons" w:char="F001"/></w:r></w:p>`;
    expect((await read(createDocx(symbol + paragraph("daily")))).warnings).toMatchObject([
      { code: "UNREADABLE_CHARACTERS", count: 1 },
    ]);
  });
});

it("reads the text boxes of a sheet and the titles of its charts", async () => {
  const file = createXlsx([["Bike", "Price"]], {
    "xl/worksheets/_rels/sheet1.xml.rels": links(["drawing", "../drawings/drawing1.xml"]),
    "xl/drawings/drawing1.xml": `<xdr:wsDr>${shape("Prices include VAT.")}</xdr:wsDr>`,
    "xl/drawings/_rels/drawing1.xml.rels": links(["chart", "../charts/chart1.xml"]),
    "xl/charts/chart1.xml": `<c:chart><c:title><a:p><a:r><a:t>Rentals in summer</a:t></a:r></a:p></c:title><c:ser><c:val><c:v>7</c:v></c:val></c:ser></c:chart>`,
  });
  expect(await texts(file)).toEqual(["Bike | Price", "Prices include VAT.", "Rentals in summer"]);
});

it("reads the texts of the master of a presentation once, without its placeholders", async () => {
  const slide = (number: number) => ({
    [`ppt/slides/slide${number}.xml`]: `<p:sld>${shape(`Slide ${number}`)}</p:sld>`,
    [`ppt/slides/_rels/slide${number}.xml.rels`]: links(["slideLayout", "../slideLayouts/layout.xml"]),
  });
  const file = zip({
    "_rels/.rels": relationships("ppt/presentation.xml"),
    "ppt/presentation.xml": `<p:presentation><p:sldId r:id="r0"/><p:sldId r:id="r1"/></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": links(["slide", "slides/slide1.xml"], ["slide", "slides/slide2.xml"]),
    ...slide(1),
    ...slide(2),
    "ppt/slideLayouts/layout.xml": `<p:sldLayout>${shape("Click to add title", '<p:ph type="title"/>')}</p:sldLayout>`,
    "ppt/slideLayouts/_rels/layout.xml.rels": links(["slideMaster", "../slideMasters/master.xml"]),
    "ppt/slideMasters/master.xml": `<p:sldMaster>${shape("Harbour Bikes")}${shape("Edit text", '<p:ph type="body"/>')}</p:sldMaster>`,
  });
  expect(await texts(file)).toEqual(["Slide 1", "Harbour Bikes", "Slide 2"]);
});

it("says that the repetitions of a row of an ODS file end at a limit", async () => {
  const row = `<table:table-row table:number-rows-repeated="1048576"><table:table-cell><text:p>Bike</text:p></table:table-cell></table:table-row>`;
  const file = zip({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": `<office:document-content><office:body><office:spreadsheet><table:table table:name="Bikes">${row}</table:table></office:spreadsheet></office:body></office:document-content>`,
  });
  expect((await read(file)).warnings).toMatchObject([
    { code: "ROWS_LEFT_OUT", count: 1, message: expect.stringContaining("(Bikes)") },
  ]);
});

describe("reading details of e-books", () => {
  const book = (name: string, chapter: string) =>
    zip({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
      "b.opf": `<package><manifest><item id="a" href="${name}"/></manifest><spine><itemref idref="a"/></spine></package>`,
      [name]: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>${chapter}</body></html>`,
    });

  it("finds chapters whose names the archive does not declare as UTF-8", async () => {
    expect(await texts(book("一.xhtml", "<p>山路を登りながら</p>"))).toEqual(["山路を登りながら"]);
  });

  it("reads the text of pages that are drawn", async () => {
    const drawing =
      "<svg><title>Page 1</title><defs><style>.a{}</style></defs><g><text>Sous le</text><text>vent</text></g></svg>";
    expect(await texts(book("a.xhtml", drawing))).toEqual(["Sous le", "vent"]);
  });

  it("reads what is shown in place of an object of an unknown type", async () => {
    const quiz = `<object data="quiz.xml" type="application/x-epub-quiz"><p>Which planet is near?</p></object>`;
    const picture = `<object data="a.png" type="image/png"><p>A picture</p></object>`;
    expect(await texts(book("a.xhtml", quiz + picture))).toEqual(["Which planet is near?"]);
  });
});

describe("reading hyphens that the font of a PDF calls soft", () => {
  const piece = (str: string) => ({ str });
  const operators = (text: string) => ({ argsArray: [[[...text].map((unicode) => ({ unicode }))]] });

  it("inserts them into numbers and at line ends", () => {
    const pieces = ["Section 31.60531(d)", " ", "of the Regula", "tions"].map(piece);
    insertHyphens(pieces, operators("Section 31.6053\u00ad1(d) of the Regula\u00adtions"));
    expect(pieces.map(({ str }) => str)).toEqual(["Section 31.6053-1(d)", " ", "of the Regula-", "tions"]);
  });

  it("finds pieces after text that is not part of the page", () => {
    const pieces = ["Section 31.60531(d)"].map(piece);
    insertHyphens(pieces, operators("Draft \u00ad 31Section 31.6053\u00ad1(d)"));
    expect(pieces.map(({ str }) => str)).toEqual(["Section 31.6053-1(d)"]);
  });
});

describe("reading details of XLSX files", () => {
  it("decodes the characters that a text writes as codes", async () => {
    expect(await texts(createXlsx([["City bike_x000D_\nwith lock"]]))).toEqual(["City bike with lock"]);
  });

  it("leaves out numbers that their format hides, and says so", async () => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="200" formatCode=";;;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>`;
    const { blocks, warnings } = await read(createXlsx([["City bike", 311]], { "xl/styles.xml": styles }));
    expect(blocks.map(({ text }) => text)).toEqual(["City bike"]);
    expect(warnings).toMatchObject([{ code: "HIDDEN_TEXT", count: 1 }]);
  });
});

describe("reading Markdown that contains HTML", () => {
  const readMarkdown = async (content: string) => {
    const declared = declaredType("text/markdown", "page.md");
    return (await extract(Buffer.from(content), () => {}, { declared })).blocks;
  };
  const textsOf = async (content: string) => (await readMarkdown(content)).map(({ text }) => text);

  it("labels the cells of a table in HTML, also across empty lines", async () => {
    const table = "<table><tr><th>Bike</th><th>Price</th></tr>\n\n<tr><td>City</td><td>12 euros</td></tr></table>";
    expect(await readMarkdown(`# Prices\n\n${table}\n\nPer day.`)).toEqual([
      { text: "Bike: City | Price: 12 euros", headings: ["Prices"], page: null },
      { text: "Per day.", headings: ["Prices"], page: null },
    ]);
  });

  it("leaves out comments, which readers of the page do not see", async () => {
    expect(await textsOf("<!-- Draft:\n\n99 euros -->\n- 12 euros <!-- was 10 -->a day")).toEqual(["- 12 euros a day"]);
  });

  it("keeps tags and comments in code", async () => {
    const fenced = "```html\n<!-- note -->\n<table>\n```";
    expect(await textsOf(`Use \`<br>\` as in\n\n${fenced}`)).toEqual(["Use `<br>` as in", "<!-- note -->\n<table>"]);
  });

  it("removes the tags of inline elements, and keeps raised numbers apart", async () => {
    expect(await textsOf('10<sup>6</sup> H<sub>2</sub>O, <span style="color: red">sold out</span><br>today')).toEqual([
      "10^6 H2O, sold out today",
    ]);
  });

  it("keeps the Markdown between the tags of an accordion", async () => {
    expect(await textsOf("<details><summary>Abroad?</summary>\n\nYes, for **20 euros**.\n\n</details>")).toEqual([
      "Abroad?",
      "Yes, for 20 euros.",
    ]);
  });

  it("leaves out the bytes of pictures", async () => {
    expect(await textsOf(`![The harbour](data:image/png;base64,${"9j4A".repeat(10_000)}) at night`)).toEqual([
      "The harbour at night",
    ]);
  });

  it("does not touch the tags in plain text", async () => {
    const declared = declaredType("text/plain", "notes.txt");
    const { blocks } = await extract(Buffer.from("Use <b>bold</b> sparingly."), () => {}, { declared });
    expect(blocks[0]?.text).toBe("Use <b>bold</b> sparingly.");
  });
});

describe("reading details of pages", () => {
  it("reads a table that a program exported as HTML under the name of a spreadsheet", async () => {
    const table = "<table><tr><th>Bike</th><th>Price</th></tr><tr><td>City</td><td>12</td></tr></table>";
    const { blocks } = await extract(Buffer.from(table), () => {}, { declared: declaredType("", "prices.xlsx") });
    expect(blocks.map(({ text }) => text)).toEqual(["Bike: City | Price: 12"]);
  });

  it("keeps the question of an accordion without an answer", async () => {
    const page = "<main><details><summary>Do you deliver?</summary></details><p>Call us.</p></main>";
    expect(await texts(`<!doctype html>${page}`)).toEqual(["Do you deliver?", "Call us."]);
  });

  it("reads the text for browsers without JavaScript when a page has no other text", async () => {
    const text =
      "We rent bikes every day from nine to six. A city bike costs 12 euros a day, with a lock and a helmet.";
    expect(await texts(`<!doctype html><div id="app"></div><noscript><p>${text}</p></noscript>`)).toEqual([text]);
  });

  it.each([
    "This page needs JavaScript. Please enable JavaScript in the settings of your browser, and load the page again to see it.",
    "Please wait.",
  ])("does not take the request to enable JavaScript for text: %s", async (text) => {
    const page = `<!doctype html><div id="app"></div><noscript><p>${text}</p></noscript>`;
    await expect(read(page)).rejects.toMatchObject({ code: "NO_TEXT" });
  });
});

describe("reading text in an unknown encoding", () => {
  const warningsOf = async (content: Buffer) => (await read(content)).warnings.map(({ code }) => code);

  it.each<[string, Buffer]>([
    ["Cyrillic", Buffer.from("cff0eeeae0f220e2e5ebeef1e8efe5e4eee2", "hex")],
    ["Korean", Buffer.from("c0dac0fcb0c520b4ebbfa9bfe4b1dd", "hex")],
  ])("says that the letters of %s text are probably wrong", async (_, content) => {
    expect(await warningsOf(content)).toEqual(["ENCODING_UNKNOWN"]);
  });

  it("trusts the accents of Western European text", async () => {
    expect(await warningsOf(Buffer.from("Größe, Größe, Größe, naïve cafés, Übergröße", "latin1"))).toEqual([]);
  });
});
