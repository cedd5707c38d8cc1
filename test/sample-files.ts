import { crc32, deflateRawSync, deflateSync } from "node:zlib";

/** A PDF file. `pages` holds the text lines of each page. `extra` adds or replaces objects by number. */
export function createPdf(
  pages: readonly string[][],
  extra: Record<number, string | Buffer> = {},
  trailer = "",
): Buffer {
  const objects = new Map<number, string | Buffer>();
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  objects.set(1, "<< /Type /Catalog /Pages 2 0 R >>");
  objects.set(2, `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  objects.set(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (const [index, lines] of pages.entries()) {
    const text = lines.map((line, row) => `1 0 0 1 50 ${750 - row * 14} Tm (${line}) Tj`).join("\n");
    const content = `BT /F1 12 Tf\n${text}\nET`;
    const resources = "/Resources << /Font << /F1 3 0 R >> >>";
    objects.set(
      4 + index * 2,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + index * 2} 0 R >>`,
    );
    objects.set(5 + index * 2, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  for (const [number, object] of Object.entries(extra)) objects.set(Number(number), object);
  return assemblePdf(objects, trailer);
}

function assemblePdf(objects: ReadonlyMap<number, string | Buffer>, trailer: string): Buffer {
  const parts = [Buffer.from("%PDF-1.7\n")];
  const offsets = new Map<number, number>();
  let length = parts[0]?.length ?? 0;
  const add = (part: string | Buffer) => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [number, object] of objects) {
    offsets.set(number, length);
    add(`${number} 0 obj\n`);
    add(object);
    add("\nendobj\n");
  }
  const start = length;
  const size = Math.max(...objects.keys()) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? "0000000000 65535 f \n" : `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  add(
    `xref\n0 ${size}\n${rows.join("")}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF`,
  );
  return Buffer.concat(parts);
}

/** A content stream of this size that compresses to almost nothing. */
export function createHugeStream(megabytes: number): Buffer {
  const content = deflateSync(Buffer.alloc(megabytes * 1024 * 1024, " "), { level: 1 });
  return Buffer.concat([
    Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
    content,
    Buffer.from("\nendstream"),
  ]);
}

const contentTypes = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
export const relationships = (target: string) =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${target}"/></Relationships>`;

/** A DOCX file with `body` as the content of `w:body`. `parts` adds or replaces parts of the archive. */
export function createDocx(body: string, parts: Record<string, string | Uint8Array> = {}): Buffer {
  const document = `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
  return zip({
    "[Content_Types].xml": contentTypes,
    "_rels/.rels": relationships("word/document.xml"),
    "word/document.xml": document,
    ...parts,
  });
}

/** A paragraph of a DOCX file, or a heading if `level` is set. */
export function paragraph(text: string, level?: number): string {
  const style = level ? `<w:pPr><w:pStyle w:val="Heading${level}"/></w:pPr>` : "";
  return `<w:p>${style}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** An XLSX file with one sheet of these rows. Numbers get the second cell style, which formats them as dates. */
export function createXlsx(
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
  parts: Record<string, string | Uint8Array> = {},
): Buffer {
  const cell = (value: string | number) =>
    typeof value === "number" ? `<c s="1"><v>${value}</v></c>` : `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const sheet = rows.map((row) => `<row>${row.map(cell).join("")}</row>`).join("");
  return zip({
    "[Content_Types].xml": contentTypes,
    "_rels/.rels": relationships("xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Rental" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships("worksheets/sheet1.xml"),
    "xl/styles.xml": `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    ...parts,
  });
}

/** Creates a ZIP archive of these parts. It uses `zlib`, which compresses large parts ten times as fast as fflate. */
export function zip(parts: Record<string, string | Uint8Array>): Buffer {
  const records = Object.entries(parts).map(([name, part]) => {
    const content = Buffer.from(part);
    const data = deflateRawSync(content, { level: 1 });
    // Version, flags, method, time, date, checksum, both sizes, and the lengths of the name and of extra fields.
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(data.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(Buffer.byteLength(name), 22);
    return { local: Buffer.concat([Buffer.from("PK\x03\x04"), header, Buffer.from(name), data]), header, name };
  });
  let offset = 0;
  const central = records.map(({ local, header, name }) => {
    // Comment, disk, attributes, and where the part begins.
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    offset += local.length;
    return Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), header, place, Buffer.from(name)]);
  });
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(records.length, 8);
  end.writeUInt16LE(records.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...records.map(({ local }) => local), directory, end]);
}
