import { describe, expect, it } from "vitest";
import { createDocx, createXlsx, paragraph, relationships, zip } from "../../../../../test/sample-files.ts";
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
