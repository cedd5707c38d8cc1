import type { DocumentFormat } from "@foyer/contract/rules/document-formats";
import type { FileContent, FileInput, FileProbe } from "./extracted.ts";
import { isEmail, isHtml, isSrt, isVtt, resemblesCsv, resemblesHtml, resemblesMarkdown } from "./text-signs.ts";

type FormatReader = {
  /** Whether the content leaves no doubt. The first format that matches is used. */
  matches?(probe: FileProbe): boolean;
  /** Whether a text without a declared format is probably of this one. */
  resembles?(text: string): boolean;
  read(file: FileInput): FileContent | Promise<FileContent>;
};

/** How each format is recognized and read. The code for a format is loaded on first use. */
export const formatReaders: Record<DocumentFormat, FormatReader> = {
  pdf: {
    matches: ({ start }) => start.includes("%PDF-"),
    read: async (file) => (await import("./extract-pdf.ts")).extractPdf(file),
  },
  docx: {
    matches: ({ archive }) => /wordprocessingml|ms-word|^word\//i.test(archive?.mainType ?? ""),
    read: async (file) => (await import("./extract-docx.ts")).extractDocx(file),
  },
  xlsx: {
    matches: ({ archive }) => /spreadsheetml|ms-excel|^xl\//i.test(archive?.mainType ?? ""),
    read: async (file) => (await import("./extract-xlsx.ts")).extractXlsx(file),
  },
  pptx: {
    matches: ({ archive }) => /presentationml|ms-powerpoint|^ppt\//i.test(archive?.mainType ?? ""),
    read: async (file) => (await import("./extract-pptx.ts")).extractPptx(file),
  },
  odt: {
    matches: ({ archive }) => /^application\/vnd\.oasis\.opendocument\.text/.test(archive?.mimeType ?? ""),
    read: async (file) => (await import("./extract-odt.ts")).extractOdt(file),
  },
  ods: {
    matches: ({ archive }) => /^application\/vnd\.oasis\.opendocument\.spreadsheet/.test(archive?.mimeType ?? ""),
    read: async (file) => (await import("./extract-ods.ts")).extractOds(file),
  },
  epub: {
    matches: ({ archive }) => archive?.mimeType === "application/epub+zip",
    read: async (file) => (await import("./extract-epub.ts")).extractEpub(file),
  },
  rtf: {
    matches: ({ start }) => /^\s*\{\\rtf/.test(start),
    read: async (file) => (await import("./extract-rtf.ts")).extractRtf(file),
  },
  vtt: {
    matches: ({ text }) => isVtt(text),
    read: async ({ text }) => (await import("./extract-captions.ts")).extractCaptions(text),
  },
  srt: {
    matches: ({ text }) => isSrt(text),
    read: async ({ text }) => (await import("./extract-captions.ts")).extractCaptions(text),
  },
  html: {
    matches: ({ text }) => isHtml(text),
    resembles: resemblesHtml,
    read: async ({ text, onProgress, isStartPage }) =>
      (await import("./extract-html.ts")).extractHtml(text, { onProgress, isStartPage }),
  },
  eml: {
    matches: ({ text }) => isEmail(text),
    resembles: () => false,
    read: async (file) => (await import("./extract-eml.ts")).extractEml(file),
  },
  csv: {
    resembles: resemblesCsv,
    read: async (file) => (await import("./extract-csv.ts")).extractCsv(file),
  },
  markdown: {
    resembles: resemblesMarkdown,
    read: async ({ text }) => (await import("./extract-text.ts")).extractMarkdown(text),
  },
  text: {
    read: async ({ text }) => (await import("./extract-text.ts")).extractText(text),
  },
};
