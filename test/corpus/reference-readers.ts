import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { DocumentFormat } from "@foyer/contract/rules/document-formats";
import { type Browser, chromium } from "playwright-core";
import { unpackChromium } from "../chromium.ts";
import { OPTIONAL } from "./compare-texts.ts";

const run = promisify(execFile);
const options = { maxBuffer: 256 * 1024 * 1024, timeout: 60_000 };

/** Reads files with a program that shares no code with the server. The texts of a file are cached by its content. */
export function createReferenceReaders() {
  const cache = join(tmpdir(), "foyer-corpus");
  mkdirSync(cache, { recursive: true });
  let browser: Promise<Browser> | null = null;

  async function readInBrowser(file: string): Promise<string> {
    browser ??= unpackChromium().then((executablePath) =>
      chromium.launch({ executablePath, args: ["--no-sandbox", "--headless", "--allow-file-access-from-files"] }),
    );
    const page = await (await browser).newPage({ javaScriptEnabled: true, offline: true });
    try {
      await page.goto(pathToFileURL(file).href, { waitUntil: "domcontentloaded", timeout: 20_000 });
      return String(await page.evaluate(visibleText));
    } finally {
      await page.close();
    }
  }

  const readers: Record<string, (file: string) => Promise<string>> = {
    pdf: async (file) => withoutRepeatedEdges((await run("pdftotext", [file, "-"], options)).stdout),
    docx: (file) => convertWithOffice(file, "txt:Text (encoded):UTF8"),
    odt: (file) => convertWithOffice(file, "txt:Text (encoded):UTF8"),
    rtf: (file) => convertWithOffice(file, "txt:Text (encoded):UTF8"),
    xlsx: (file) => convertWithOffice(file, sheetsAsShown),
    ods: (file) => convertWithOffice(file, sheetsAsShown),
    pptx: async (file) => convertWithOffice(file, "pdf"),
    epub: async (file) => (await run("pandoc", ["-f", "epub", "-t", "plain", "--wrap=none", file], options)).stdout,
    markdown: async (file) =>
      (await run("pandoc", ["-f", "gfm+yaml_metadata_block", "-t", "plain", "--wrap=none", file], options)).stdout,
    html: readInBrowser,
  };

  return {
    formats: Object.keys(readers),
    /** The text of a file, or null if the program cannot read it. */
    async read(format: DocumentFormat, file: string): Promise<string | null> {
      const reader = readers[format];
      if (!reader) return null;
      const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
      const cached = join(cache, `${format}-${hash}`);
      if (existsSync(cached)) return readFileSync(cached, "utf8");
      const text = await reader(file).catch(() => null);
      if (text !== null) writeFileSync(cached, text);
      return text;
    },
    async close(): Promise<void> {
      await (await browser)?.close();
    },
  };
}

/** All sheets as CSV files, with the cells as they are shown. */
const sheetsAsShown = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1";

async function convertWithOffice(file: string, target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-office-"));
  try {
    // A profile for each process lets several of them run at once.
    const profile = `-env:UserInstallation=${pathToFileURL(join(tmpdir(), `foyer-office-profile-${process.pid}`)).href}`;
    await run("soffice", [profile, "--headless", "--convert-to", target, "--outdir", folder, file], options);
    const written = readdirSync(folder);
    if (written.length === 0) throw new Error(`LibreOffice cannot read ${basename(file)}.`);
    const texts = written.map(async (name) =>
      extname(name) === ".pdf"
        ? (await run("pdftotext", [join(folder, name), "-"], options)).stdout
        : readFileSync(join(folder, name), "utf8"),
    );
    return (await Promise.all(texts)).join("\n");
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

/** The visible text of the page without its navigation, header and footer, which extraction drops by design. */
const visibleText = `(() => {
  for (const part of document.querySelectorAll("nav, menu, body > header, body > footer, body > aside, [role=navigation], [role=banner], [role=contentinfo]")) part.remove();
  return document.body ? document.body.innerText : document.documentElement.textContent;
})()`;
