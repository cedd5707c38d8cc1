import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { DocumentFormat } from "@foyer/contract/rules/document-formats";
import { strFromU8, unzipSync } from "fflate";
import { type Browser, chromium } from "playwright-core";
import { unpackChromium } from "../chromium.ts";
import { ALTERNATIVE, OPTIONAL } from "./compare-texts.ts";
import { readFlatPresentation } from "./flat-presentation.ts";
import { readFlatSpreadsheet } from "./flat-spreadsheet.ts";
import { type Marks, noMarks, pageMarks, readMarks } from "./source-marks.ts";

const run = promisify(execFile);
const options = { maxBuffer: 256 * 1024 * 1024, timeout: 60_000 };

/** Reads files with a program that shares no code with the server. The texts of a file are cached by its content. */
export function createReferenceReaders() {
  const cache = join(tmpdir(), "foyer-corpus");
  mkdirSync(cache, { recursive: true });
  let browser: Promise<Browser> | null = null;

  async function runInPage(file: string, script: string): Promise<unknown> {
    browser ??= unpackChromium().then((executablePath) =>
      chromium.launch({ executablePath, args: ["--no-sandbox", "--headless", "--allow-file-access-from-files"] }),
    );
    const page = await (await browser).newPage({ javaScriptEnabled: true, offline: true });
    try {
      await page.goto(pathToFileURL(file).href, { waitUntil: "domcontentloaded", timeout: 20_000 });
      return await page.evaluate(script);
    } finally {
      await page.close();
    }
  }

  const readers: Record<string, (file: string) => Promise<string>> = {
    // In the order of reading, and in the order of the file, which is right where lines are rotated.
    pdf: async (file) => {
      const orders = [[], ["-raw"]].map((order) => run("pdftotext", [...order, file, "-"], options));
      return (await Promise.all(orders)).map(({ stdout }) => withoutRepeatedEdges(stdout)).join(ALTERNATIVE);
    },
    docx: (file) => readText("docx", file),
    odt: (file) => readText("odt", file),
    rtf: (file) => readText("rtf", file),
    xlsx: readSpreadsheet,
    ods: async (file) => {
      const text = await readSpreadsheet(file);
      // LibreOffice shows numbers in the language of its own interface, not in that of the file.
      return `${text}${text.includes(OPTIONAL) ? "" : OPTIONAL}${text.replace(/[.,]/g, (sign) => (sign === "." ? "," : "."))}`;
    },
    pptx: async (file) => readFlatPresentation(await convertWithOffice(file, "fodp")),
    epub: async (file) => (await readWithPandoc("epub", file)) + OPTIONAL + readSource(file),
    markdown: async (file) => readWithPandoc("gfm+yaml_metadata_block", file),
    html: async (file) => String(await runInPage(file, visibleText)),
  };

  return {
    formats: Object.keys(readers),
    /** The text of a file, or null if the program cannot read it. */
    async read(format: DocumentFormat, file: string): Promise<string | null> {
      const reader = readers[format];
      if (!reader) return null;
      const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
      const cached = join(cache, `${format}-${VERSION}-${hash}`);
      if (existsSync(cached)) return readFileSync(cached, "utf8");
      const text = await reader(file).catch(() => null);
      if (text !== null) writeFileSync(cached, text);
      return text;
    },
    /** What the source of a file marks, or nothing if it cannot be read. */
    async marks(format: DocumentFormat, file: string): Promise<Marks> {
      const isOffice = /^(docx|pptx|odt)$/.test(format);
      const read = async () => (isOffice ? readMarks(readParts(file)) : await runInPage(file, pageMarks));
      const marks = isOffice || format === "html" ? await read().catch(() => null) : null;
      return (marks as Marks | null) ?? noMarks();
    },
    async close(): Promise<void> {
      await (await browser)?.close();
    },
  };
}

/** The version of the texts in the cache. */
const VERSION = 5;

/** The text in LibreOffice. What only pandoc reads, such as equations, is optional. */
async function readText(format: string, file: string): Promise<string> {
  return (
    (await convertWithOffice(file, "txt:Text (encoded):UTF8")) +
    OPTIONAL +
    (await readWithPandoc(format, file).catch(() => "")) +
    readSource(file)
  );
}

/** Formulas whose result changes without a change in the file, pivot tables and data of servers, which are read anew. */
const recalculated =
  /<f\b[^<>]*>[^<]*\b(?:RAND|RANDBETWEEN|NOW|TODAY)\(|:formula="[^"]*\b(?:RAND|RANDBETWEEN|NOW|TODAY)\(|<pivotTableDefinition\b|<volTypes\b|<table:data-pilot-table /;

/** @throws when LibreOffice shows other cells than those that the file stores */
async function readSpreadsheet(file: string): Promise<string> {
  if (readParts(file).some((part) => recalculated.test(part)))
    throw new Error(`The cells of ${basename(file)} change when it is opened.`);
  return readFlatSpreadsheet(await convertWithOffice(file, "fods"));
}

/** The text in the source of a file. It includes page headers and text boxes, which LibreOffice leaves out of its texts. */
const readSource = (file: string): string =>
  readParts(file)
    .join("\n")
    .replace(/<\/(?:\w+:)?(?:p|h[1-6]?|td|th|li|div|tr|dt|dd)>/g, "\n")
    .replace(/<[^<>]*>/g, "");

/** The parts of an archive that contain markup, or the whole file. */
function readParts(file: string): string[] {
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, 2).equals(Buffer.from("PK"))) return [bytes.toString("latin1")];
  const isRead = ({ name }: { name: string }) => /\.(xml|x?html?|ncx|opf)$/i.test(name);
  return Object.values(unzipSync(bytes, { filter: isRead })).map((part) => strFromU8(part));
}

/** Removes the alternative texts of pictures and the TeX source of formulas. */
async function readWithPandoc(format: string, file: string): Promise<string> {
  const filter = join(tmpdir(), "foyer-corpus", "filter.lua");
  writeFileSync(filter, "function Image() return {} end\nfunction Math() return {} end\n");
  const flags = ["-f", format, "-t", "plain", "--wrap=none", "--lua-filter", filter];
  return (await run("pandoc", [...flags, file], options)).stdout;
}

/** Settings by which LibreOffice shows the stored results of formulas, and not those of today. */
const withoutCalculation = `<?xml version="1.0"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">
${["OOXMLRecalcMode", "ODFRecalcMode"].map((name) => `<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="${name}" oor:op="fuse"><value>1</value></prop></item>`).join("\n")}
</oor:items>`;

async function convertWithOffice(file: string, target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-office-"));
  try {
    // A profile for each process lets several of them run at once.
    const profile = join(tmpdir(), `foyer-office-profile-${process.pid}`);
    mkdirSync(join(profile, "user"), { recursive: true });
    writeFileSync(join(profile, "user", "registrymodifications.xcu"), withoutCalculation);
    const flag = `-env:UserInstallation=${pathToFileURL(profile).href}`;
    await run("soffice", [flag, "--headless", "--convert-to", target, "--outdir", folder, file], options);
    const written = readdirSync(folder);
    if (written.length === 0) throw new Error(`LibreOffice cannot read ${basename(file)}.`);
    return written.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Headers and footers that repeat on most pages count once, because extraction drops the repetitions. */
function withoutRepeatedEdges(text: string): string {
  const pages = text.split("\f").map((page) => page.split("\n").filter((line) => line.trim() !== ""));
  const isEdge = (index: number, count: number) => index < 3 || index >= count - 3;
  const counts = new Map<string, number>();
  for (const lines of pages) {
    const edges = new Set(lines.filter((_, index) => isEdge(index, lines.length)).map((line) => line.trim()));
    for (const line of edges) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const seen = new Set<string>();
  const dropped: string[] = [];
  const kept = pages
    .map((lines) =>
      lines
        .filter((line, index) => {
          const key = line.trim();
          const isKept = keeps(key, index, lines.length);
          if (!isKept) dropped.push(line);
          return isKept;
        })
        .join("\n"),
    )
    .join("\n\n");
  return kept + OPTIONAL + dropped.join("\n");

  function keeps(key: string, index: number, count: number): boolean {
    if (!isEdge(index, count)) return true;
    if (/^\W*(page\s*)?\d{1,4}(\s*(of|\/)\s*\d+)?\W*$/i.test(key)) return pages.length < 4;
    if ((counts.get(key) ?? 0) < pages.length / 2 || pages.length < 4) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  }
}

/**
 * The visible text of the page without its navigation, header and footer, which extraction drops by design. A page that
 * marks its main content is also compared with that alone. Text that is hidden at first, as in accordions, is optional.
 */
const visibleText = `(() => {
  const addresses = [...document.querySelectorAll("a[href]")].filter((link) => /^(mailto|tel):/i.test(link.getAttribute("href"))).map((link) => decodeURIComponent(link.getAttribute("href").replace(/^\\w+:|\\?.*$/g, "")));
  const labels = [...document.querySelectorAll("[alt], [aria-label]")].map((part) => part.getAttribute("alt") || part.getAttribute("aria-label"));
  const optional = [document.documentElement.textContent, ...addresses, ...labels].join("\\n");
  for (const part of document.querySelectorAll("rt, rp, [data-cfemail], sup a[href*='#'], [role=doc-noteref], a[href^='#fn'], a[href^='#cite_note']")) part.remove();
  const dropped = "script, style, noscript, select, nav, menu, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=complementary]";
  for (const part of document.querySelectorAll(dropped)) part.remove();
  for (const part of document.querySelectorAll("header, footer, aside")) if (!part.closest("main, article, section")) part.remove();
  const navigation = /^(site-|main-|top-)?(nav|navbar|navigation|menu|breadcrumbs?|sidebar|cookie-?\\w*|pagination)$/i;
  for (const part of document.querySelectorAll("[class], [id]")) if ([part.id, ...part.classList].some((name) => navigation.test(name))) part.remove();
  const text = document.body ? document.body.innerText : document.documentElement.textContent;
  const main = [...document.querySelectorAll("main, [role=main], article, [role=article]")].filter((part) => !part.parentElement.closest("main, [role=main], article, [role=article]")).map((part) => part.innerText).join("\\n");
  const renderings = main.length >= 0.2 * text.length ? [text, main] : [text];
  return renderings.map((rendering) => rendering + ${JSON.stringify(OPTIONAL)} + optional).join(${JSON.stringify(ALTERNATIVE)});
})()`;
