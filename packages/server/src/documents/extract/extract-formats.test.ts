import { describe, expect, it } from "vitest";
import { createDocx, createXlsx, paragraph, relationships, zip } from "../../../../../test/sample-files.ts";
import { extract } from "./extract.ts";
import type { Extracted } from "./extracted.ts";

const read = (content: string | Uint8Array): Promise<Extracted> => extract(Buffer.from(content), () => {});
const texts = async (content: string | Uint8Array) => (await read(content)).blocks.map(({ text }) => text);
const warningsOf = async (content: string | Uint8Array) =>
  (await read(content)).warnings.map(({ code, count }) => [code, count]);

describe("reading tables of pages", () => {
  const table = (rows: string) => `<!doctype html><main><table>${rows}</table></main>`;
  const row = (...cells: string[]) =>
    `<tr>${cells.map((cell) => (cell.startsWith("<") ? cell : `<td>${cell}`)).join("")}</tr>`;

  it("repeats a cell that spans rows in each of them", async () => {
    const rows = row("<th>Region", "<th>Route") + row("<td rowspan=2>North", "Lake") + row("Forest");
    expect(await texts(table(rows))).toEqual(["Region: North | Route: Lake", "Region: North | Route: Forest"]);
  });

  it("labels a cell that spans columns with each of them, and a title above the header with none", async () => {
    const rows =
      row("<td colspan=3>Opening hours") +
      row("<th>Shop", "<th>Mon", "<th>Tue") +
      row("Harbour", "<td colspan=2>closed");
    expect(await texts(table(rows))).toEqual(["Opening hours", "Shop: Harbour | Mon: closed | Tue: closed"]);
  });

  it("labels cells below a header whose corner is empty", async () => {
    const rows = row("", "<th>Day", "<th>Week") + row("<th>City", "20", "90");
    expect(await texts(table(rows))).toEqual(["City | Day: 20 | Week: 90"]);
  });

  it("joins the rows of a header", async () => {
    const rows =
      row("<th rowspan=2>Bike", "<th colspan=2>Price") + row("<th>Day", "<th>Week") + row("City", "20", "90");
    expect(await texts(table(rows))).toEqual(["Bike: City | Price Day: 20 | Price Week: 90"]);
  });

  it.each([
    [
      "its cells are names above numbers",
      row("Bike", "Price") + row("City", "20 €") + row("Cargo", "30 €"),
      "Bike: City | Price: 20 €",
    ],
    [
      "only its cells are bold",
      row("<td><b>Day</b>", "<td><b>Open</b>") + row("Mon", "morning"),
      "Day: Mon | Open: morning",
    ],
  ])("takes the first row for the header when %s", async (_, rows, line) => {
    expect(await texts(table(rows))).toContain(line);
  });

  it("separates the cells of a nested table", async () => {
    const nested = `<table>${row("A1", "B1")}</table>`;
    expect(await texts(table(row(`<td>${nested}`, "2")))).toEqual(["A1 B1 | 2"]);
  });

  it("takes no row of a layout for the header", async () => {
    expect(await texts(table(row("Phone", "0555 123") + row("Mail", "a@example.com")))).toEqual([
      "Phone | 0555 123",
      "Mail | a@example.com",
    ]);
  });
});

it("reads the text after elements that XHTML closes in their start tag", async () => {
  const page =
    '<?xml version="1.0"?><!DOCTYPE html><html><head><script src="a.js"/></head><body><p>Open daily</p></body></html>';
  expect(await texts(page)).toEqual(["Open daily"]);
});

it("reads the formulas of a page on one line", async () => {
  const formula =
    "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><msup><mi>c</mi><mn>2</mn></msup></mfrac><annotation>TeX</annotation></math>";
  expect(await texts(`<!doctype html><main><p>x = ${formula}</p></main>`)).toEqual(["x = (a+b)/c^2"]);
});

it("numbers the items of ordered lists of pages", async () => {
  const list =
    "<!doctype html><main><ol start=3><li>Lock<li><p>Key</p><ul><li>Spare</ul></ol><ol type=a><li>Map</ol></main>";
  expect(await texts(list)).toEqual(["3. Lock", "4. Key", "- Spare", "a. Map"]);
});

it.each([
  ["a page", "<!doctype html><main><h1>Contact</h1><h2>Call 0555 123</h2><h2>Hours</h2><p>Daily</p></main>"],
  ["a Markdown file", "# Contact\n\n## Call 0555 123\n\n## Hours\n\nDaily"],
])("keeps the headings without text of %s", async (_, text) => {
  expect(await texts(text)).toEqual(["Call 0555 123", "Daily"]);
});

it("keeps the name of a column without cells", async () => {
  const { blocks } = await extract(Buffer.from("Bike,Price,Note\nCity,20,"), () => {}, {
    declared: { charset: null, format: "csv" },
  });
  expect(blocks.map(({ text }) => text)).toEqual(["Bike | Price | Note", "Bike: City | Price: 20"]);
});

it("repeats the header in the rows of a Markdown table", async () => {
  expect(
    await texts("# Bikes\n\n| Bike | Price |\n|---|--:|\n| City \\| lake | 20 |\n| Cargo | 30 |\n\nText | more."),
  ).toEqual(["Bike: City | lake | Price: 20", "Bike: Cargo | Price: 30", "Text | more."]);
});

describe("reading what Office files show", () => {
  const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

  it("reads the page headers and footers of a DOCX file once", async () => {
    const edge = (kind: string, text: string) => `<w:${kind} ${w}>${paragraph(text)}</w:${kind}>`;
    const parts = {
      "word/header1.xml": edge("hdr", "Harbour Bikes"),
      "word/header2.xml": edge("hdr", "Harbour Bikes"),
      "word/footer1.xml": edge("ftr", "Call 0555 123 456"),
    };
    expect(await texts(createDocx(paragraph("Open daily."), parts))).toEqual([
      "Harbour Bikes",
      "Open daily.",
      "Call 0555 123 456",
    ]);
  });

  it("takes paragraphs of a DOCX file for headings whose style is based on one", async () => {
    const style = (id: string, name: string, more: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
    const styles = `<w:styles ${w}>${style("Heading1", "heading 1", "")}${style("Own", "Chapter's title", '<w:basedOn w:val="Heading1"/>')}</w:styles>`;
    const types = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`;
    const heading = paragraph("Prices", 1).replace("Heading1", "Own");
    const { blocks } = await read(
      createDocx(heading + paragraph("20 euros"), { "word/styles.xml": styles, "word/_rels/document.xml.rels": types }),
    );
    expect(blocks).toEqual([{ text: "20 euros", headings: ["Prices"], page: null }]);
  });

  it("reads the equations of a DOCX file", async () => {
    const m = (tag: string, content: string) => `<m:${tag}>${content}</m:${tag}>`;
    const run = (text: string) => m("r", m("t", text));
    const equation = m(
      "oMath",
      run("E=") + m("f", m("num", run("a+b")) + m("den", m("sSup", m("e", run("c")) + m("sup", run("2"))))),
    );
    const body = `<w:p><w:r><w:t>Energy:</w:t></w:r>${equation}</w:p>`;
    expect(await texts(createDocx(body))).toEqual(["Energy: E=(a+b)/(c^2)"]);
  });

  it("writes the numbers of lists and headings of a DOCX file as Word shows them", async () => {
    const level = (index: number, format: string, text: string) =>
      `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering = `<w:numbering ${w}><w:abstractNum w:abstractNumId="0">${level(0, "decimal", "%1.")}${level(1, "lowerLetter", "%1.%2)")}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
    const item = (text: string, depth: number) =>
      paragraph(text).replace(
        "<w:p>",
        `<w:p><w:pPr><w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr></w:pPr>`,
      );
    const body = item("Lock", 0) + item("Key", 1) + item("Chain", 1) + item("Map", 0) + item("Legend", 1);
    expect(await texts(createDocx(body, { "word/numbering.xml": numbering }))).toEqual([
      "1. Lock",
      "1.a) Key",
      "1.b) Chain",
      "2. Map",
      "2.a) Legend",
    ]);
  });

  it("reads text within smart tags of a DOCX file", async () => {
    expect(
      await texts(createDocx('<w:p><w:smartTag w:element="City"><w:r><w:t>Kiel</w:t></w:r></w:smartTag></w:p>')),
    ).toEqual(["Kiel"]);
  });

  it("says how many formulas of an XLSX file have no result, and what is hidden", async () => {
    const sheet = `<worksheet><cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1"><c r="A1"><f>1+1</f></c><c r="B1"><v>311</v></c><c r="C1"><v>5</v></c></row></sheetData></worksheet>`;
    expect(await warningsOf(createXlsx([], { "xl/worksheets/sheet1.xml": sheet }))).toEqual([
      ["FORMULAS_WITHOUT_RESULTS", 1],
      ["HIDDEN_CELLS", 1],
    ]);
  });

  it("labels merged cells of an XLSX file with each of their columns, except titles", async () => {
    const cell = (reference: string, value: string) => `<c r="${reference}" t="str"><v>${value}</v></c>`;
    const sheet = `<worksheet><sheetData><row r="1">${cell("A1", "Opening hours")}</row><row r="2">${cell("A2", "Shop")}${cell("B2", "Mon")}${cell("C2", "Tue")}</row><row r="3">${cell("A3", "Harbour")}${cell("B3", "closed")}</row></sheetData><mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="B3:C3"/></mergeCells></worksheet>`;
    expect(await texts(createXlsx([], { "xl/worksheets/sheet1.xml": sheet }))).toEqual([
      "Opening hours",
      "Shop: Harbour | Mon: closed | Tue: closed",
    ]);
  });

  it("reads an XLSX file whose archive separates folders with backslashes", async () => {
    const file = createXlsx([["Bike"], ["City"]]);
    const renamed = Buffer.from(file.toString("latin1").replaceAll("xl/", "xl\\"), "latin1");
    expect(await texts(renamed)).toContain("City");
  });
});

describe("reading presentations", () => {
  const shape = (text: string, type = "body") =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const cell = (text: string) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const slides = [
    `<p:sld>${shape("Prices", "title")}${shape("A day costs 20 €.")}<a:tbl><a:tr>${cell("Bike")}${cell("Price")}</a:tr><a:tr>${cell("City")}${cell("20")}</a:tr><a:tr>${cell("Cargo")}${cell("30")}</a:tr></a:tbl></p:sld>`,
    `<p:sld show="0">${shape("Margins")}</p:sld>`,
    "<p:sld/>",
  ];
  const file = zip({
    "_rels/.rels": relationships("ppt/presentation.xml"),
    "ppt/presentation.xml": `<p:presentation><p:sldIdLst>${slides.map((_, n) => `<p:sldId id="${n}" r:id="r${n}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": `<Relationships>${slides.map((_, n) => `<Relationship Id="r${n}" Type="x/slide" Target="slides/slide${n}.xml"/>`).join("")}</Relationships>`,
    ...Object.fromEntries(slides.map((slide, n) => [`ppt/slides/slide${n}.xml`, slide])),
    "ppt/notesSlides/notesSlide1.xml": `<p:notes>${shape("Do not tell.")}</p:notes>`,
  });

  it("reads titles, texts and tables with the number of their slide", async () => {
    expect((await read(file)).blocks).toEqual([
      { text: "A day costs 20 €.", headings: ["Prices"], page: 1 },
      { text: "Bike: City | Price: 20", headings: ["Prices"], page: 1 },
      { text: "Bike: Cargo | Price: 30", headings: ["Prices"], page: 1 },
    ]);
  });

  it("says which slides are hidden and which have no text", async () => {
    expect((await read(file)).warnings).toMatchObject([
      { code: "HIDDEN_SLIDES", count: 1, message: expect.stringContaining("(2)") },
      { code: "PAGES_WITHOUT_TEXT", count: 1, message: expect.stringContaining("(3)") },
    ]);
  });
});

describe("reading OpenDocument files", () => {
  const openDocument = (kind: string, styles: string, body: string) =>
    zip({
      mimetype: `application/vnd.oasis.opendocument.${kind}`,
      "content.xml": `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
      "meta.xml": "<office:meta><dc:title>Rental</dc:title></office:meta>",
    });

  it("reads headings, lists, tables and marks of an ODT file, without deleted and hidden text", async () => {
    const styles = `<style:style style:name="S"><style:text-properties style:text-line-through-style="solid"/></style:style><style:style style:name="H"><style:text-properties text:display="none"/></style:style>`;
    const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`;
    const rows = [
      ["Bike", "Price"],
      ["City", "20"],
      ["Cargo", "30"],
    ].map((row) => `<table:table-row>${row.map(cell).join("")}</table:table-row>`);
    const body = `<text:tracked-changes><text:p>Deleted</text:p></text:tracked-changes><text:h text:outline-level="1">Prices</text:h><text:p>Now<text:s text:c="2"/>20 € <text:span text:style-name="S">30 €</text:span><text:span text:style-name="H">Secret</text:span></text:p><text:list><text:list-item><text:p>Lock</text:p></text:list-item></text:list><table:table>${rows.join("")}</table:table>`;
    const { title, blocks, warnings } = await read(openDocument("text", styles, body));
    expect(title).toBe("Rental");
    expect(blocks.map(({ text }) => text)).toEqual([
      "Now 20 € ~~30 €~~",
      "- Lock",
      "Bike: City | Price: 20",
      "Bike: Cargo | Price: 30",
    ]);
    expect(blocks[0]?.headings).toEqual(["Prices"]);
    expect(warnings).toMatchObject([{ code: "HIDDEN_TEXT", count: 1 }]);
  });

  it("reads the cells of an ODS file as they are shown, without hidden sheets, rows and columns", async () => {
    const styles = `<style:style style:name="T"><style:table-properties table:display="false"/></style:style>`;
    const cell = (text: string, attributes = "") =>
      `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`;
    const row = (cells: string, attributes = "") => `<table:table-row ${attributes}>${cells}</table:table-row>`;
    const sheet = `<table:table table:name="Routes"><table:table-column table:number-columns-repeated="3"/><table:table-column table:visibility="collapse"/>
      ${row(cell("Region") + cell("Route") + cell("Price") + cell("Margin"))}
      ${row(cell("North", 'table:number-rows-spanned="2"') + cell("Lake") + cell("12,50 €", 'office:value="12.5"') + cell("secret"))}
      ${row(`<table:covered-table-cell/>${cell("Forest")}${cell("15 %")}`)}
      ${row(cell("Hidden"), 'table:visibility="filter"')}</table:table>`;
    const hidden = `<table:table table:name="Costs" table:style-name="T">${row(cell("secret"))}</table:table>`;
    const { blocks, warnings } = await read(openDocument("spreadsheet", styles, sheet + hidden));
    expect(blocks.map(({ text }) => text)).toEqual([
      "Region: North | Route: Lake | Price: 12,50 €",
      "Region: North | Route: Forest | Price: 15 %",
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(["HIDDEN_CELLS", "HIDDEN_SHEETS"]);
  });
});

describe("reading e-books", () => {
  const container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>';
  const book = `<package><dc:title>Bikes</dc:title><manifest><item id="b" href="b.xhtml"/><item href="a%20b.xhtml" id="a"/><item id="c" href="gone.xhtml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/><itemref idref="c"/></spine></package>`;
  const chapter = (text: string) =>
    `<?xml version="1.0"?><!DOCTYPE html><html><head><title/></head><body><h1>${text}</h1><p>Text of ${text}.</p></body></html>`;
  const parts = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": container,
    "OEBPS/book.opf": book,
    "OEBPS/a b.xhtml": chapter("One"),
    "OEBPS/b.xhtml": chapter("Two"),
  };

  it("reads the chapters in the order of the spine, and names those that are missing", async () => {
    const { title, blocks, warnings } = await read(zip(parts));
    expect(title).toBe("Bikes");
    expect(blocks.map(({ text, headings }) => [text, headings[0]])).toEqual([
      ["Text of One.", "One"],
      ["Text of Two.", "Two"],
    ]);
    expect(warnings).toMatchObject([
      { code: "UNREADABLE_PAGES", count: 1, message: expect.stringContaining("gone.xhtml") },
    ]);
  });

  it("refuses a book that unpacks to more than its limit", async () => {
    const bomb = zip({ ...parts, "OEBPS/a b.xhtml": new Uint8Array(120 * 1024 * 1024) });
    await expect(read(bomb)).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  it("refuses a protected book", async () => {
    const encryption = '<encryption><CipherReference URI="OEBPS/b.xhtml"/></encryption>';
    await expect(read(zip({ ...parts, "META-INF/encryption.xml": encryption }))).rejects.toMatchObject({
      code: "ENCRYPTED",
    });
  });
});

describe("reading Rich Text files", () => {
  it("decodes characters, and reads paragraphs and tables without fonts, notes to programs and hidden text", async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fnil Arial;}{\f1\fnil\fcharset204 Arial;}}{\*\generator Writer}{\info{\title T}}
\pard\outlinelevel0 Preise\par\pard K\'fcche \u8364?20 {\strike 30}{\v secret}\line {\f1 \'cf\'f0}\par
\trowd\intbl Bike\cell Price\cell\row\trowd\intbl City\cell 20\cell\row\trowd\intbl Cargo\cell 30\cell\row\pard 10{\super 6}\par}`;
    const { blocks, warnings } = await read(rtf);
    expect(blocks.map(({ text }) => text)).toEqual([
      "Küche €20 ~~30~~\nПр",
      "Bike: City | Price: 20",
      "Bike: Cargo | Price: 30",
      "10^6",
    ]);
    expect(blocks[0]?.headings).toEqual(["Preise"]);
    expect(warnings).toMatchObject([{ code: "HIDDEN_TEXT", count: 1 }]);
  });
});

describe("reading captions", () => {
  it.each([
    [
      "WebVTT",
      "WEBVTT\n\nNOTE Draft\n\n1\n00:00.000 --> 00:02.000\n<v Ada>We open at <i>nine</i>.\n\n00:02.000 --> 00:04.000\n<v Bo>And close at six.",
      ["Ada: We open at nine.", "Bo: And close at six."],
    ],
    [
      "SubRip",
      "1\r\n00:00:00,000 --> 00:00:02,000\r\nWe open\r\n\r\n2\r\n00:00:02,000 --> 00:00:04,000\r\nWe open\r\nat nine.",
      ["We open at nine."],
    ],
  ])("reads %s as a transcript", async (_, text, lines) => {
    expect(await texts(text)).toEqual(lines);
  });
});
