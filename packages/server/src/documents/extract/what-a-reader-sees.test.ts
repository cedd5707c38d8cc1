import { describe, expect, it } from "vitest";
import { createDocx, createXlsx, paragraph, relationships, zip } from "../../../../../test/sample-files.ts";
import { extract } from "./extract.ts";

const read = (content: string | Uint8Array) => extract(Buffer.from(content), () => {});
const textOf = async (content: string | Uint8Array) => (await read(content)).blocks.map(({ text }) => text).join("\n");
const codesOf = async (content: string | Uint8Array) => (await read(content)).warnings.map(({ code }) => code);
const page = (body: string) => textOf(`<!doctype html><html><body>${body}</body></html>`);

describe("reading text around faulty or binary parts of a file", () => {
  const picture = Buffer.concat([Buffer.from("{{{\\par}}{\\"), Buffer.from(Array.from({ length: 256 }, (_, i) => i))]);

  it("reads the text after a picture in an RTF file whose bytes look like groups", async () => {
    const rtf = [`{\\rtf1 Before.\\par {\\pict\\bin${picture.length} `, picture, "}\\par After.}"];
    expect(await textOf(Buffer.concat(rtf.map((part) => Buffer.from(part))))).toBe("Before.\nAfter.");
  });

  const good = (from: number) => Array.from({ length: 30 }, (_, index) => `${from + index},"Tube, black",9`).join("\n");

  it.each([
    ["is not doubled", '3000,"Monitor 24" wide",199', ['Article: 3000 | Name: Monitor 24" wide | Price: 199', 1]],
    ["is escaped", '3000,"Monitor \\"wide\\", big",199', ['Article: 3000 | Name: Monitor "wide", big | Price: 199', 0]],
    ["is never closed", '3000,"Monitor, 199', ['Article: 3000 | Name: "Monitor | Price: 199', 1]],
  ] as const)("reads only the row of a CSV file otherwise whose quotation mark %s", async (_, row, [text, count]) => {
    const { blocks, warnings } = await read(["Article,Name,Price", good(1000), row, good(2000)].join("\n"));
    const texts = blocks.map((block) => block.text);
    expect(texts).toContain(text);
    expect(texts.filter((line) => line.includes("Name: Tube, black | Price: 9"))).toHaveLength(60);
    expect(warnings.map((warning) => warning.count)).toEqual(count === 0 ? [] : [count]);
  });

  it("reads a text that some fields fill with NUL characters", async () => {
    expect(await textOf(`Bike;Price\nCity\0\0;580\n${"Cargo;2900\n".repeat(20)}`)).toContain("Bike: City | Price: 580");
  });
});

describe("reading text in the encoding of its language", () => {
  const bytes = (text: string, map: Record<string, number>) =>
    Buffer.from([...text].map((letter) => map[letter] ?? letter.charCodeAt(0)));
  const polish = { Ż: 0xaf, ł: 0xb3, ź: 0x9f, ó: 0xf3, ś: 0x9c, ą: 0xb9 };
  const polishLatin2 = { ...polish, ź: 0xbc, ś: 0xb6, ą: 0xb1 };
  const czech = { ř: 0xf8, š: 0x9a, ž: 0x9e, ť: 0x9d, č: 0xe8, ů: 0xf9, ň: 0xf2, ě: 0xec };

  it.each([
    ["Polish in windows-1250", "Żółta łódź, są", polish],
    ["Polish in ISO-8859-2", "Żółta łódź, są", polishLatin2],
    ["Czech in windows-1250", "Příliš žluťoučký kůň, dětská", czech],
    ["Turkish in windows-1254", "Iğdır için ücretsiz kargo, ışık", { ğ: 0xf0, ı: 0xfd, ş: 0xfe }],
    ["Lithuanian in windows-1257", "Dviratis, šešių eurų, įskaitant", { š: 0xf0, ų: 0xf8, į: 0xe1 }],
    ["German of a Mac", "Größe für Mädchen", { ö: 0x9a, ß: 0xa7, ü: 0x9f, ä: 0x8a }],
    ["French in ISO-8859-15", "Cœur à 20 €, très doux", { œ: 0xbd, "€": 0xa4 }],
    ["German in windows-1252", "Größe – für Mädchen, 20 €", { "–": 0x96, "€": 0x80 }],
    ["French in windows-1252", "Où est l’œuvre, très chère, 20 °C", { œ: 0x9c, "’": 0x92 }],
    ["Icelandic in windows-1252", "Reiðhjól, verð á þessu ári", {}],
    ["names of several languages", "Søren, José and Müller", {}],
  ])("reads %s", async (_, text, map) => {
    expect(await textOf(bytes(text, map as Record<string, number>))).toBe(text);
  });

  it("warns of an encoding that no browser knows", async () => {
    expect(await codesOf(Buffer.from("Gr\x94\xe1e f\x81r M\x84dchen", "latin1"))).toEqual(["ENCODING_UNKNOWN"]);
  });

  it("reads UTF-16 without a byte order mark", async () => {
    expect(await textOf(Buffer.from("Bike;Price\r\nCity;580\r\nCargo;2900\r\n", "utf16le"))).toContain("Price: 580");
  });
});

describe("reading what a reader of a page sees", () => {
  it.each([
    ['65,533<a role="doc-noteref" href="#n1">3</a> people', "65,533 people"],
    ['19<a href="#fn2">2</a> euros', "19 euros"],
    ['19<span style="vertical-align: super">99</span> €', "19.99 €"],
    ['10<sup>6</sup> and <a href="#x">10<sup>6</sup> users</a>', "10^6 and 10^6 users"],
    ['Step 1 <a href="#two">2</a>', "Step 1 2"],
  ])("keeps a number apart from the number of a note: %s", async (html, text) => {
    expect(await page(`<p>${html}</p>`)).toBe(text);
  });

  it.each([
    ['<span style="text-decoration: line-through">600</span> 580', "~~600~~ 580"],
    ["<del><s>600 </s></del>580", "~~600~~ 580"],
    ['<style>.old { text-decoration: line-through }</style><b class="old">600</b> 580', "~~600~~ 580"],
  ])("marks what is struck out: %s", async (html, text) => {
    expect(await page(`<p>${html}</p>`)).toBe(text);
  });

  it.each([
    ['<img src="n.svg" alt="No">', "No"],
    ['<svg role="img"><title>included</title></svg>', "included"],
    ['<i class="fa fa-check"></i>', "✓"],
    ['<svg><use href="#icon-xmark"/></svg>', "✗"],
    ['text <img alt="decoration">', "text"],
  ])("reads a cell that shows a picture in place of text: %s", async (cell, text) => {
    expect(await page(`<table><tr><th>Plan<th>API<tr><td>Pro<td>${cell}</table>`)).toBe(`Plan: Pro | API: ${text}`);
  });

  it.each([
    ['<i class="sr-only">$19.99</i><b aria-hidden="true"><u>$</u><u>19</u><u>99</u></b>', "$19.99"],
    ['<b aria-hidden="true">$1999</b><i class="visually-hidden">$19.99</i>', "$19.99"],
    ['<i class="sr-only">Price:</i><b aria-hidden="true">$20</b>', "Price: $20"],
  ])("reads once what is written for eyes and for screen readers: %s", async (html, text) => {
    expect(await page(`<p>${html}</p>`)).toBe(text);
  });

  const hidden = Buffer.from([..."help@example.com"].map((letter) => letter.charCodeAt(0) ^ 7));
  const code = `07${hidden.toString("hex")}`;

  it.each([
    [`<a data-cfemail="${code}">[email protected]</a>`, "help@example.com"],
    [`<a href="/cdn-cgi/l/email-protection#${code}">Write to us</a>`, "Write to us (help@example.com)"],
    ['<a href="mailto:a@example.com?subject=x">A@example.com</a>', "A@example.com"],
    ['<a href="tel:+49405550112">Call us</a>', "Call us (+49405550112)"],
    ['<a href="tel:+49405550112">040 555 01-12</a>', "040 555 01-12"],
  ])("knows the address that a link opens: %s", async (html, text) => {
    expect(await page(`<p>${html}</p>`)).toBe(text);
  });

  it.each([
    ["<div>City bike<td>580 euros</td></div><tr><td>Cargo</td><td>2,900</td></tr>", "City bike580 euros\nCargo 2,900"],
    ["<center>Harbour</center><center>Bikes</center>", "Harbour\nBikes"],
    ['<p><i style="display:block">Mon 9-18</i><i style="display:block">Tue</i></p>', "Mon 9-18\nTue"],
    ["<ol reversed start=2><li>One<li>Two</ol>", "2. One\n1. Two"],
    ["<p><ruby>漢<rt>kan</rt></ruby>字</p>", "漢字"],
    ["<p>Size: <select><option>S (+ 5 €)<option>M (+ 8 €)</select></p>", "Size: S (+ 5 €); M (+ 8 €)"],
    ["<header><h1>Shop</h1><div><p>The bike costs 580.</p></div>", "The bike costs 580."],
    ["<nav><a>Home</a><p>The bike costs 580.</p>", "Home\nThe bike costs 580."],
  ])("reads %s as a browser shows it", async (html, text) => {
    expect(await page(html)).toBe(text);
  });
});

describe("reading what Office shows", () => {
  const run = (text: string, properties = "") => `<w:r>${properties}<w:t xml:space="preserve">${text}</w:t></w:r>`;
  const equation =
    "<m:oMath><m:r><m:t>E=m</m:t></m:r><m:sSup><m:e><m:r><m:t>c</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>";
  const utf16 = (xml: string) => Buffer.from(`\ufeff${xml}`, "utf16le");
  const control = (text: string) =>
    `<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>${paragraph(text)}</w:sdtContent></w:sdt>`;
  const list =
    '<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList></w:ffData></w:fldChar></w:r></w:p>';

  it.each<[string, Buffer, string]>([
    ["an equation in its own paragraph", createDocx(`<w:p><m:oMathPara>${equation}</m:oMathPara></w:p>`), "E=mc^2"],
    ["a double strike", createDocx(`<w:p>${run("600", "<w:rPr><w:dstrike/></w:rPr>")}</w:p>`), "~~600~~"],
    ["a CDATA section", createDocx(paragraph("<![CDATA[Bikes & more]]>")), "Bikes & more"],
    ["no text that asks for an entry", createDocx(control("Click here.") + paragraph("Text")), "Text"],
    ["the chosen entry of a list", createDocx(list), "Blue"],
  ])("reads %s of a DOCX file", async (_, file, text) => {
    expect(await textOf(file)).toBe(text);
  });

  it("reads a DOCX file in UTF-16", async () => {
    const xml = `<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph("City bike")}</w:body></w:document>`;
    expect(await textOf(createDocx("", { "word/document.xml": utf16(xml) }))).toBe("City bike");
  });

  it("finds the parts of an Office file by their types and relationships, whatever their folders are called", async () => {
    const type = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
    const file = zip({
      "[Content_Types].xml": `<Types><Override PartName="/content/main.xml" ContentType="${type}"/></Types>`,
      "_rels/.rels": relationships("content/main.xml"),
      "content/main.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph("City bike")}</w:body></w:document>`,
    });
    expect(await textOf(file)).toBe("City bike");
  });

  const styles =
    '<styleSheet><fonts><font/><font><strike/></font></fonts><cellXfs><xf/><xf fontId="1"/></cellXfs></styleSheet>';
  const sheet = (cells: string) => `<worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`;

  it.each([
    ["an empty cell of the type text", '<c t="s"/><c t="b"/><c t="s"><v>0</v></c>', "Sold out"],
    ["a struck cell", '<c s="1"><v>600</v></c>', "~~600~~"],
    [
      "a struck part of a cell",
      '<c t="inlineStr"><is><r><t>City </t></r><r><rPr><strike/></rPr><t>600</t></r><r><t xml:space="preserve"> 580</t></r></is></c>',
      "City ~~600~~ 580",
    ],
    [
      "a raised digit",
      '<c t="inlineStr"><is><r><t>10</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r></is></c>',
      "10^6",
    ],
    ["the inline text of a cell that also has a value", '<c t="inlineStr"><v>7</v><is><t>City</t></is></c>', "City"],
    ["the inline text before a value", '<c t="inlineStr"><is><t>City</t></is><v>7</v></c>', "City"],
    ["the value of a cell whose type says so", '<c t="str"><v>City</v><is><t>Cargo</t></is></c>', "City"],
    ["the value of a cell that says it has inline text", '<c t="inlineStr"><v>City</v></c>', "City"],
  ])("reads %s of an XLSX file", async (_, cells, text) => {
    const parts = {
      "xl/styles.xml": styles,
      "xl/sharedStrings.xml": "<sst><si><t>Sold out</t></si></sst>",
      "xl/worksheets/sheet1.xml": sheet(cells),
    };
    expect(await textOf(createXlsx([], parts))).toBe(text);
  });
});

describe("reading charts, diagrams and equations", () => {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const leadsTo = (parts: Record<string, [type: string, target: string]>) =>
    `<Relationships>${Object.entries(parts)
      .map(([id, [type, target]]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`)
      .join("")}</Relationships>`;
  const points = (values: Record<number, string>) =>
    Object.entries(values)
      .map(([index, value]) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`)
      .join("");
  const series = (name: string, values: Record<number, string>) =>
    `<c:ser><c:tx><c:strRef><c:strCache>${points({ 0: name })}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points({ 0: "May", 1: "June" })}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0</c:formatCode>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Rentals</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>${series("City", { 0: "4", 1: "5" })}${series("Cargo", { 1: "2" })}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
  const rentals = "Rentals\nMay | City: 4.0\nJune | City: 5.0 | Cargo: 2.0";
  const diagram =
    "<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Book</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Ride</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>";
  const drawing = (content: string) =>
    `<w:drawing><wp:inline><a:graphic>${content}</a:graphic></wp:inline></w:drawing>`;
  const textBox = (content: string) =>
    `<w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape><v:textbox><w:txbxContent>${content}</w:txbxContent></v:textbox></v:shape></w:pict>`;
  const run = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`;
  const chartFrame = drawing('<a:graphicData><c:chart xmlns:c="c" r:id="rId2"/></a:graphicData>');
  const docx = (body: string) =>
    createDocx(body, {
      "word/_rels/document.xml.rels": leadsTo({
        rId2: ["chart", "charts/chart1.xml"],
        rId3: ["diagramData", "diagrams/data1.xml"],
      }),
      "word/charts/chart1.xml": chart,
      "word/diagrams/data1.xml": diagram,
    });

  it.each([
    ["a chart", run(chartFrame), rentals],
    ["a diagram", run(drawing('<a:graphicData><dgm:relIds r:dm="rId3"/></a:graphicData>')), "Book\nRide"],
    ["a chart in a text box", run(textBox(run(chartFrame))), rentals],
    [
      "a chart in a drawn text box",
      run(
        `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice><w:drawing><wps:txbx><w:txbxContent>${run(chartFrame)}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback>${textBox(run(chartFrame))}</mc:Fallback></mc:AlternateContent>`,
      ),
      rentals,
    ],
  ])("reads %s of a DOCX file", async (_, body, text) => {
    expect(await textOf(docx(body))).toBe(text);
  });

  const omml = (content: string) => `<m:oMath>${content}</m:oMath>`;
  const math = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
  const fraction = omml(`<m:f><m:num>${math("a+b")}</m:num><m:den>${math("c")}</m:den></m:f>`);
  const sum = omml(
    `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${math("i=1")}</m:sub><m:sup>${math("n")}</m:sup><m:e>${math("i")}</m:e></m:nary>`,
  );
  const power = omml(`${math("E=m")}<m:sSup><m:e>${math("c")}</m:e><m:sup>${math("2")}</m:sup></m:sSup>`);
  const pptx = (shapes: string) =>
    zip({
      "[Content_Types].xml": `<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
      "_rels/.rels": relationships("ppt/presentation.xml"),
      "ppt/presentation.xml": '<p:presentation><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>',
      "ppt/_rels/presentation.xml.rels": leadsTo({ rId1: ["slide", "slides/slide1.xml"] }),
      "ppt/slides/slide1.xml": `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    });

  const interval = omml(
    `<m:d><m:dPr><m:begChr m:val="["/><m:sepChr m:val=";"/><m:endChr m:val="]"/></m:dPr><m:e>${math("0")}</m:e><m:e>${math("1")}</m:e></m:d>`,
  );

  it.each([
    ["an interval", interval, "[0;1]"],
    ["a power", power, "E=mc^2"],
    ["a fraction", fraction, "(a+b)/c"],
    ["a sum", sum, "∑_(i=1)^n i"],
  ])("reads %s of a PPTX file", async (_, equation, text) => {
    const shape = (content: string) => `<p:sp><p:txBody><a:p>${content}</a:p></p:txBody></p:sp>`;
    const choice = shape(`<a14:m><m:oMathPara>${equation}</m:oMathPara></a14:m>`);
    const fallback = shape("<a:r><a:t> </a:t></a:r>");
    const slide = `<mc:AlternateContent><mc:Choice Requires="a14">${choice}</mc:Choice><mc:Fallback>${fallback}</mc:Fallback></mc:AlternateContent>`;
    expect(await textOf(pptx(slide))).toBe(text);
  });

  it.each([
    ["a power", "{\\mr E=m}{\\msSup{\\msSupPr}{\\me{\\mr c}}{\\msup{\\mr 2}}}", "E=mc^2"],
    ["a fraction", "{\\mf{\\mnum{\\mr a+b}}{\\mden{\\mr c}}}", "(a+b)/c"],
    ["a sum", "{\\mnary{\\mnaryPr{\\mchr \\u8721?}}{\\msub{\\mr i=1}}{\\msup{\\mr n}}{\\me{\\mr i}}}", "∑_(i=1)^n i"],
    ["a root", "{\\mrad{\\mradPr{\\mdegHide 1}}{\\mdeg}{\\me{\\mr a+b}}}", "√(a+b)"],
    ["an amount", "{\\md{\\mdPr{\\mbegChr |}{\\mendChr |}}{\\me{\\mr x}}}", "|x|"],
    ["brackets", "{\\md{\\mdPr}{\\me{\\mr a+b}}}{\\mr c}", "(a+b)c"],
  ])("reads %s of an RTF file", async (_, equation, text) => {
    const rtf = `{\\rtf1 {\\mmath{\\*\\moMathPara{\\*\\moMathParaPr{\\mjc centerGroup}}{\\*\\moMath${equation}}}}\\par}`;
    expect(await textOf(rtf)).toBe(text);
  });

  const odt = (name: string, content: string) =>
    zip({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml": `<office:document-content><office:body><office:text><text:p><draw:frame><draw:object xlink:href="./${name}"/><draw:image/></draw:frame></text:p></office:text></office:body></office:document-content>`,
      [`${name}/content.xml`]: content,
    });
  const cell = (text: string) =>
    `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`;
  const table = `<table:table table:name="local-table"><table:table-header-rows><table:table-row>${cell("")}${cell("City")}</table:table-row></table:table-header-rows><table:table-rows><table:table-row>${cell("May")}${cell("4")}</table:table-row></table:table-rows></table:table>`;
  const document = (body: string) =>
    `<office:document-content><office:body>${body}</office:body></office:document-content>`;
  const mathMl = (content: string) =>
    `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow>${content}</mrow><annotation encoding="StarMath 5.0">source</annotation></semantics></math>`;

  it.each([
    [
      "a chart",
      "Object 1",
      document(
        `<office:chart><chart:chart><chart:title><text:p>Rentals</text:p></chart:title>${table}</chart:chart></office:chart>`,
      ),
      "Rentals\nMay | City: 4",
    ],
    ["a table", "Object 1", document(`<office:spreadsheet>${table}</office:spreadsheet>`), "May | City: 4"],
    ["an equation", "Object 2", mathMl("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>"), "E=mc^2"],
    [
      "a fraction",
      "Formula-1",
      mathMl("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>"),
      "(a+b)/c",
    ],
  ])("reads %s that an ODT file has as an object", async (_, name, content, text) => {
    expect(await textOf(odt(name, content))).toBe(text);
  });
});

describe("reading OpenDocument spreadsheets", () => {
  const ods = (cells: string, styles = "") =>
    zip({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": `<office:document-content>${styles}<office:body><table:table table:name="P"><table:table-row>${cells}</table:table-row></table:table></office:body></office:document-content>`,
    });
  const struck =
    '<style:style style:name="s"><style:text-properties style:text-line-through-style="solid"/></style:style>';

  it.each([
    ['<table:table-cell office:value-type="float" office:value="580"/>', "580"],
    ['<table:table-cell office:value-type="percentage" office:value="0.125"/>', "12.5%"],
    ['<table:table-cell office:value-type="date" office:date-value="2026-01-31"/>', "2026-01-31"],
    ["<table:table-cell><text:p><![CDATA[City & Co]]></text:p></table:table-cell>", "City & Co"],
    ['<table:table-cell table:style-name="s"><text:p>Tour</text:p></table:table-cell>', "~~Tour~~"],
  ])("reads the cell %s", async (cell, text) => {
    expect(await textOf(ods(cell, struck))).toBe(text);
  });

  it("says that a file has a password", async () => {
    const manifest =
      '<manifest:manifest><manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const file = zip({ "META-INF/manifest.xml": manifest, "content.xml": Buffer.from([1, 2, 3]) });
    await expect(read(file)).rejects.toMatchObject({ code: "ENCRYPTED" });
  });
});

it("reads the boxes and notes of a book", async () => {
  const chapter =
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Ride.</p><aside><p>Never exceed <![CDATA[25 km/h]]>.</p></aside></body></html>';
  const book = zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": '<container><rootfile full-path="b.opf"/></container>',
    "b.opf": '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    "a.xhtml": chapter,
  });
  expect(await textOf(book)).toBe("Ride.\nNever exceed 25 km/h.");
});
