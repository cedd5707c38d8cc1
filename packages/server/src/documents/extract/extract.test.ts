import { describe, expect, it } from "vitest";
import { createDocx, createXlsx, paragraph, zip } from "../../../../../test/sample-files.ts";
import { declaredType } from "./declared-type.ts";
import { extract } from "./extract.ts";
import type { Extracted } from "./extracted.ts";

const read = (content: string | Uint8Array): Promise<Extracted> => extract(Buffer.from(content), () => {});
const failure = (content: string | Uint8Array) =>
  read(content).then(
    () => null,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

describe("reading Office files", () => {
  it("reads the headings and paragraphs of a DOCX file", async () => {
    const file = createDocx(
      paragraph("Prices", 1) + paragraph("A city bike costs 20 €.") + paragraph("Helmets", 2) + paragraph("Free."),
    );
    const { mimeType, blocks } = await read(file);
    expect(mimeType).toContain("wordprocessingml");
    expect(blocks).toEqual([
      { text: "A city bike costs 20 €.", headings: ["Prices"], page: null },
      { text: "Free.", headings: ["Prices", "Helmets"], page: null },
    ]);
  });

  it("repeats the header in every row of an XLSX file and shows dates as dates", async () => {
    const { blocks } = await read(
      createXlsx([
        ["Bike", "From"],
        ["City", 45_292],
        ["Cargo", 45_323],
      ]),
    );
    expect(blocks.map(({ text }) => text)).toEqual(["Bike: City | From: 2024-01-01", "Bike: Cargo | From: 2024-02-01"]);
    expect(blocks[0]?.headings).toEqual(["Rental"]);
  });

  it("leaves out hidden sheets, rows and columns of an XLSX file, and repeats merged cells", async () => {
    const cell = (reference: string, value: string) => `<c r="${reference}" t="str"><v>${value}</v></c>`;
    const sheet = `<worksheet><cols><col min="3" max="3" hidden="1"/></cols><sheetData>
      <row r="1">${cell("A1", "Region")}${cell("B1", "Route")}${cell("C1", "Margin")}</row>
      <row r="2">${cell("A2", "North")}${cell("B2", "Lake")}${cell("C2", "secret")}</row>
      <row r="3"><c r="A3"/>${cell("B3", "Forest")}</row>
      <row r="4" hidden="1">${cell("A4", "Hidden")}</row></sheetData>
      <mergeCells><mergeCell ref="A2:A3"/></mergeCells></worksheet>`;
    const sheets = `<sheet name="Routes" r:id="rId1"/><sheet name="Costs" state="veryHidden" r:id="rId1"/>`;
    const workbook = `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>`;
    const { blocks } = await read(createXlsx([], { "xl/workbook.xml": workbook, "xl/worksheets/sheet1.xml": sheet }));
    expect(blocks.map(({ text }) => text)).toEqual(["Region: North | Route: Lake", "Region: North | Route: Forest"]);
  });

  it("reads an XLSX file with dates from 1904 and with other cases in its part names", async () => {
    const workbook = `<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>`;
    const sheet = `<worksheet><sheetData><row><c t="s"><v>0</v></c><c s="1"><v>44561</v></c></row></sheetData></worksheet>`;
    const { blocks } = await read(
      createXlsx([], {
        "xl/workbook.xml": workbook,
        "xl/worksheets/sheet1.xml": sheet,
        "xl/SharedStrings.xml": "<sst><si><t>City bike</t></si></sst>",
      }),
    );
    expect(blocks[0]?.text).toBe("City bike | 2026-01-01");
  });

  it("reads the part that a DOCX file names as its document, without hidden text", async () => {
    const hidden =
      "<w:p><w:r><w:rPr><w:b/><w:vanish/></w:rPr><w:t>Internal</w:t></w:r><w:r><w:t>Public</w:t></w:r></w:p>";
    const main = createDocx(hidden);
    expect((await read(main)).blocks[0]?.text).toBe("Public");
  });

  it("reads a sheet of an XLSX file once, although many entries name it", async () => {
    const entries = `<sheet name="Rental" sheetId="1" r:id="rId1"/>`.repeat(20_000);
    const workbook = `<workbook xmlns:r="r"><sheets>${entries}</sheets></workbook>`;
    const { blocks } = await read(
      createXlsx(
        [
          ["Bike", "Price"],
          ["City", 20],
        ],
        { "xl/workbook.xml": workbook },
      ),
    );
    expect(blocks).toHaveLength(1);
  });

  it("refuses an XLSX file with more than 200 sheets, and one whose sheets unpack to too much XML", async () => {
    const numbers = Array.from({ length: 201 }, (_, index) => index + 1);
    const sheets = numbers.map((n) => `<sheet name="S${n}" sheetId="${n}" r:id="r${n}"/>`).join("");
    const targets = numbers.map((n) => `<Relationship Id="r${n}" Target="worksheets/s${n}.xml"/>`).join("");
    const many = createXlsx([["Bike"]], {
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": `<Relationships>${targets}</Relationships>`,
    });
    expect(await failure(many)).toBe("TOO_LARGE");
    const large = createXlsx([["Bike"]], { "xl/sharedStrings.xml": " ".repeat(65 * 1024 * 1024) });
    expect(await failure(large)).toBe("TOO_LARGE");
  });

  it("refuses document types in XML, files with a password and archives of other things", async () => {
    const entities = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:document><w:t>&b;</w:t></w:document>`;
    expect(await failure(createDocx("", { "word/document.xml": entities }))).toBe("DAMAGED");
    const protectedFile = Buffer.concat([
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
      Buffer.alloc(600),
      Buffer.from("EncryptedPackage", "utf16le"),
    ]);
    expect(await failure(protectedFile)).toBe("ENCRYPTED");
    expect(await failure(zip({ mimetype: "application/vnd.oasis.opendocument.graphics" }))).toBe("NOT_SUPPORTED");
    expect(await failure(zip({ "../../etc/passwd": "root" }))).toBe("NOT_SUPPORTED");
    expect(await failure(createDocx(paragraph("Cut")).subarray(0, 200))).not.toBeNull();
  });

  it("stops unpacking at its limit, whatever size the archive declares", async () => {
    const bomb = createDocx("", { "word/document.xml": new Uint8Array(120 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    expect(await failure(bomb)).toBe("TOO_LARGE");
    const lying = Buffer.from(bomb);
    // The declared sizes are at offset 22 of local headers and at offset 24 of central ones.
    for (let at = lying.indexOf("PK\x03\x04"); at >= 0; at = lying.indexOf("PK\x03\x04", at + 4))
      lying.writeUInt32LE(10, at + 22);
    expect(["DAMAGED", "TOO_LARGE"]).toContain(await failure(lying));
  });
});

describe("reading HTML", () => {
  const page = `<!doctype html><html><head><title>Rental &amp; prices</title></head><body>
    <nav><a href="/a">Home</a></nav><header>Call us</header>
    <main><h1>Rental</h1><p>We rent <b>city</b> bikes.</p>
      <h2><button aria-expanded="false" aria-controls="x">Do you rent helmets?</button></h2>
      <div id="x" hidden style="display:none" aria-hidden="true"><p>Helmets are free.</p></div>
      <details><summary>Can I cancel?</summary>Until noon.</details>
      <table><tr><th>Size</th><th>Price</th></tr><tr><td>M</td><td>20 €</td></tr></table>
      <ul><li>Lock</li><li>Map</li></ul><script>alert("x")</script>
    </main><footer>Imprint</footer></body></html>`;

  it("keeps hidden answers under their questions and drops navigation", async () => {
    const { title, blocks } = await read(page);
    expect(title).toBe("Rental & prices");
    expect(blocks.map(({ headings, text }) => [...headings, text].join(" / "))).toEqual([
      "Rental / We rent city bikes.",
      "Rental / Do you rent helmets? / Helmets are free.",
      "Rental / Do you rent helmets? / Can I cancel? / Until noon.",
      "Rental / Do you rent helmets? / Size: M | Price: 20 €",
      "Rental / Do you rent helmets? / - Lock",
      "Rental / Do you rent helmets? / - Map",
    ]);
  });

  it.each([
    ["windows-1251", "\xcf\xf0\xee\xea\xe0\xf2", "Прокат"],
    ["Shift_JIS", "\x8e\xa9\x93\x5d\x8e\xd4", "自転車"],
    ["ISO-2022-JP", "\x1b$B<+E><V\x1b(B", "自転車"],
    ["an unknown encoding", "Gr\xfc\xdfe", "Grüße"],
  ])("decodes a page that declares %s", async (encoding, content, text) => {
    const header = `<meta http-equiv="Content-Type" content="text/html; charset=${encoding}">`;
    const page = `<!doctype html><html><head>${header}<title>${content}</title></head><body><p>${content}</p></body></html>`;
    const { title, blocks } = await read(Buffer.from(page, "latin1"));
    expect([title, blocks[0]?.text]).toEqual([text, text]);
  });

  it.each(["windows-1251", "ISO-2022-JP"])("decodes a page in UTF-8 although it declares %s", async (encoding) => {
    const page = `<!doctype html><html><head><meta charset="${encoding}"></head><body><p>Прокат</p></body></html>`;
    expect((await read(page)).blocks[0]?.text).toBe("Прокат");
  });

  it.each([
    ["windows-1251", "text/html; charset=windows-1251", "\xcf\xf0\xee\xea\xe0\xf2", "Прокат"],
    ["Shift_JIS", 'text/html;CHARSET="Shift_JIS"', "<meta charset=windows-1251>\x8e\xa9\x93\x5d\x8e\xd4", "自転車"],
    ["ISO-2022-JP", "text/html; charset=iso-2022-jp", "\x1b$B<+E><V\x1b(B", "自転車"],
    ["UTF-16 without a byte order mark", "text/html; charset=utf-16le", "\x1f\x04\x40\x04", "Пр"],
    ["UTF-8, with a damaged character", "text/html; charset=utf-8", "Gr\xc3\xbc\xc3e", "Grü\ufffde"],
    [
      "UTF-8, although the page declares another",
      "text/html; charset=utf-8",
      "<meta charset=windows-1251>\xcf\xf0",
      "Пр",
    ],
    ["an unknown encoding", "text/html; charset=klingon", "Gr\xfc\xdfe", "Grüße"],
  ])("decodes a page whose HTTP header names %s", async (_, contentType, content, text) => {
    const start = "<!doctype html><html><body><p>";
    const isWide = contentType.endsWith("16le");
    const bytes = Buffer.concat([Buffer.from(start, isWide ? "utf16le" : "latin1"), Buffer.from(content, "latin1")]);
    const { blocks } = await extract(bytes, () => {}, { declared: declaredType(contentType, "") });
    expect(blocks[0]?.text).toBe(text);
  });

  it("refuses elements that are nested thousands deep", async () => {
    expect(await failure(`<!doctype html><html><body>${"<div>".repeat(5_000)}text`)).toBe("DAMAGED");
  });
});

describe("reading text", () => {
  it("recognizes the format by the content", async () => {
    const typeOf = async (content: string | Uint8Array) => (await read(content)).mimeType;
    expect(await typeOf("Bike;Price\nCity;20\nCargo;35\n")).toBe("text/csv");
    expect(await typeOf("# Prices\n\nA bike.")).toBe("text/markdown");
    expect(await typeOf("Just a text, with a comma.\nAnd another one, here.\nAnd a third, too.")).toBe("text/plain");
    expect(await typeOf("<p>One</p><p>Two</p><p>Three</p>")).toBe("text/html");
    expect(await typeOf(Buffer.from("\ufeffGr\u00fc\u00dfe aus dem Hafen", "utf16le"))).toBe("text/plain");
  });

  it.each([
    ["UTF-16", Buffer.from("\ufeffCity\0 bike", "utf16le")],
    ["ISO-2022-JP", `<!doctype html><meta charset="ISO-2022-JP"><p>${"City bike ".repeat(7_000)}\0</p>`],
  ])("removes NUL characters, which PostgreSQL cannot store, from a text in %s", async (_, content) => {
    const text = (await read(content)).blocks.map((block) => block.text).join();
    expect(text).toContain("City bike");
    expect(text).not.toContain("\0");
  });

  it("repeats the header in every row of a CSV file", async () => {
    const { blocks } = await read('Bike,Note\nCity,"Small, red"\nCargo,Large\n');
    expect(blocks.map(({ text }) => text)).toEqual(["Bike: City | Note: Small, red", "Bike: Cargo | Note: Large"]);
  });

  it("reports progress while it reads a long page, so that it is not mistaken for stuck on a busy machine", async () => {
    const reports: number[] = [];
    await extract(Buffer.from(`<!doctype html><p>${"word ".repeat(40_000)}`), (done) => reports.push(done));
    expect(reports.length).toBeGreaterThan(2);
  });

  it("decodes text in Windows-1252", async () => {
    expect((await read(Buffer.from("Gr\xfc\xdfe", "latin1"))).blocks[0]?.text).toBe("Grüße");
  });

  it.each([
    ["a PNG image", "\x89PNG\r\n\x1a\n\0\0", "NOT_SUPPORTED"],
    ["a program", "\x7fELF\x02\x01\0\0", "NOT_SUPPORTED"],
    ["XML", '<?xml version="1.0"?><a>text</a>', "NOT_SUPPORTED"],
    ["bytes without meaning", "\x01\x00\x02\x00\x03", "NOT_SUPPORTED"],
    ["white space", " \n\t\n ", "NO_TEXT"],
    ["too much text", "word ".repeat(2_100_001), "TOO_LARGE"],
  ])("explains why it does not read %s", async (_, content, code) => {
    expect(await failure(Buffer.from(content, "latin1"))).toBe(code);
  });
});

describe("marks in pages", () => {
  const page = (html: string) => read(`<html><body><main>${html}</main></body></html>`);
  it.each([
    ["<p>$19<sup>99</sup> today</p>", "$19.99 today"],
    ["<p>19<sup>99</sup> € today</p>", "19.99 € today"],
    ["<p>10<sup>6</sup> cells</p>", "10^6 cells"],
    ['<p>15<sup><a href="#n">1</a></sup> euros</p>', "15 euros"],
    ["<p><del>100 euros</del> 80 euros</p>", "~~100 euros~~ 80 euros"],
    ["<p><input type=checkbox checked> Service <input type=checkbox> Insurance</p>", "[x] Service [ ] Insurance"],
    ["<div><template shadowrootmode=open><p>Open daily</p></template></div>", "Open daily"],
  ])("reads %s as %s", async (html, text) => {
    expect((await page(html)).blocks.map((block) => block.text)).toEqual([text]);
  });
});

it.each([
  '---\ntitle: "Opening hours"\nauthor: a@example.com\n---\n# Summer\n\nFrom 9.',
  '+++\ntitle = "Opening hours"\n+++\n# Summer\n\nFrom 9.',
])("takes the title of a Markdown file from its front matter, which is not text: %j", async (text) => {
  expect(await read(text)).toMatchObject({
    title: "Opening hours",
    blocks: [{ text: "From 9.", headings: ["Summer"], page: null }],
  });
});

describe("reading email files", () => {
  const head = "From: Ada <a@example.com>\r\nSubject: =?utf-8?q?R=C3=BCckgabe?=\r\nMIME-Version: 1.0\r\n";

  it("decodes the header fields and the body", async () => {
    const body = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa("A refund takes a week.")}`;
    const { mimeType, title, blocks } = await read(head + body);
    expect(mimeType).toBe("message/rfc822");
    expect(title).toBe("Rückgabe");
    expect(blocks.map(({ text }) => text)).toEqual([
      "Subject: Rückgabe\nFrom: Ada <a@example.com>",
      "A refund takes a week.",
    ]);
  });

  it("names the attachments that it does not read", async () => {
    const parts = [
      "Content-Type: text/html\r\n\r\n<p>See the list.</p>",
      'Content-Type: application/pdf; name="list.pdf"\r\nContent-Disposition: attachment; filename="list.pdf"\r\n\r\nx',
    ];
    const body = parts.map((part) => `--b\r\n${part}\r\n`).join("");
    const { warnings } = await read(`${head}Content-Type: multipart/mixed; boundary=b\r\n\r\n${body}--b--`);
    expect(warnings).toEqual([
      {
        code: "ATTACHMENTS_LEFT_OUT",
        count: 1,
        message: "1 attachment or embedded file was not read (list.pdf). Upload them individually.",
      },
    ]);
  });
});

describe("reading CSV files", () => {
  const declared = { charset: null, format: "csv" } as const;
  const rows = async (text: string) =>
    (await extract(Buffer.from(text), () => {}, { declared })).blocks.map((block) => block.text);

  it.each([
    [
      "a line break in a cell",
      'Question,Answer\n"When?\nDaily?",Until noon.\nWho?,All.',
      "Question: When?\nDaily? | Answer: Until noon.",
    ],
    ["a short row", "Name,Price,Stock\nCity bike,20,3\nTotal", "Name: City bike | Price: 20 | Stock: 3"],
    ["a separator line", "sep=;\nName;Price\nCity bike;20", "Name: City bike | Price: 20"],
    [
      "a title above the header",
      "Price list\n\nName,Price,Stock\nCity bike,20,3",
      "Name: City bike | Price: 20 | Stock: 3",
    ],
    ["an inch sign", 'Part,Size,Price\nRim,26" rim,40', 'Part: Rim | Size: 26" rim | Price: 40'],
    ["CR line ends", "Name,Price\rCity bike,20\r", "Name: City bike | Price: 20"],
    ["a header and one row", "Name,Price\nCity bike,20", "Name: City bike | Price: 20"],
    ["a header with years", "Model,2025,2026\nCity bike,580,600", "Model: City bike | 2025: 580 | 2026: 600"],
    [
      "commas in cells between semicolons",
      "Name;Note\nChain;116 links, 12 speeds, black\nLock;steel, 1,2 kg",
      "Name: Chain | Note: 116 links, 12 speeds, black",
    ],
    ["an unclosed quotation mark", 'Name,Price\nCity bike,20\n"Cargo bike,30', "Name: City bike | Price: 20"],
  ])("labels the cells of a file with %s", async (_, text, row) => {
    expect(await rows(text)).toContain(row);
  });

  it("keeps a cell of more than 100,000 characters", async () => {
    expect((await rows(`Name,Note\nCity bike,${"word ".repeat(25_000)}`))[0]).toMatch(/^Name: City bike \| Note: word/);
  });

  it("takes an undeclared text whose lines contain one comma each for prose", async () => {
    const prose = "First, lock it.\nThen, ride it.\nLast, return it.\nSo, pay it.";
    expect((await read(prose)).mimeType).toBe("text/plain");
  });
});

describe("contact information outside of the content of a start page", () => {
  const readStart = async (body: string) =>
    (await extract(Buffer.from(`<!doctype html><body>${body}`), () => {}, { isStartPage: true })).blocks;
  const footer = `<footer><nav><a href="/about">About</a></nav><div>Harbour Bikes<br>12 Quay Street<br>28195 Bremen</div>
    <p><a href="tel:+494215550123">0421 555 0123</a></p><p>Mon–Fri 9:00–18:00</p><a href="/legal">Legal</a><p>© 2026 Harbour Bikes</p></footer>`;

  it("becomes a passage Contact without links to pages and without the copyright line", async () => {
    expect((await readStart(`<main><p>City bikes.</p></main>${footer}`)).at(-1)).toEqual({
      text: "Harbour Bikes\n12 Quay Street\n28195 Bremen\n0421 555 0123\nMon–Fri 9:00–18:00",
      headings: ["Contact"],
      page: null,
    });
  });
  it.each([
    [
      "a footer that is only a class name",
      `<main><p>Bikes.</p></main><div class="site-footer">Call 0421 555 0123</div>`,
    ],
    ["the page header", `<header><span>Call 0421 555 0123</span></header><main><p>Bikes.</p></main>`],
    ["an address element", `<main><p>Bikes.</p></main><address>Call 0421 555 0123</address>`],
  ])("is read from %s", async (_, body) => {
    expect((await readStart(body)).map(({ text }) => text)).toEqual(["Bikes.", "Call 0421 555 0123"]);
  });
  it("is not repeated when the content contains it", async () => {
    const blocks = await readStart("<main><p>Call 0421 555 0123</p></main><footer><p>Call 0421 555 0123</p></footer>");
    expect(blocks.map(({ headings }) => headings)).toEqual([[]]);
  });
  it("does not exist when the footer contains no way to reach the owner", async () => {
    const blocks = await readStart("<main><p>Bikes.</p></main><footer><p>Made with care since 2019</p></footer>");
    expect(blocks).toHaveLength(1);
  });
  it("is left out of other pages", async () => {
    const { blocks } = await extract(Buffer.from(`<!doctype html><main><p>Prices.</p></main>${footer}`), () => {});
    expect(blocks.map(({ text }) => text)).toEqual(["Prices."]);
  });
});
