/**
 * The formats of files that documents can be made from. The server detects a format by its content; in doubt, the media
 * type and the extension of the upload decide. The first media type is the one that a document of the format gets.
 * Extensions are in lower case and have no dot. The crawler only follows links to files with `isCrawled`.
 */
export const documentFormats = {
  pdf: { label: "PDF", mediaTypes: ["application/pdf"], extensions: ["pdf"], isCrawled: true },
  docx: {
    label: "Word (DOCX)",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    extensions: ["docx"],
    isCrawled: false,
  },
  xlsx: {
    label: "Excel (XLSX)",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    extensions: ["xlsx"],
    isCrawled: false,
  },
  pptx: {
    label: "PowerPoint (PPTX)",
    mediaTypes: ["application/vnd.openxmlformats-officedocument.presentationml.presentation"],
    extensions: ["pptx"],
    isCrawled: false,
  },
  odt: {
    label: "OpenDocument text (ODT)",
    mediaTypes: ["application/vnd.oasis.opendocument.text"],
    extensions: ["odt"],
    isCrawled: false,
  },
  ods: {
    label: "OpenDocument spreadsheet (ODS)",
    mediaTypes: ["application/vnd.oasis.opendocument.spreadsheet"],
    extensions: ["ods"],
    isCrawled: false,
  },
  epub: { label: "EPUB", mediaTypes: ["application/epub+zip"], extensions: ["epub"], isCrawled: false },
  rtf: { label: "RTF", mediaTypes: ["application/rtf", "text/rtf"], extensions: ["rtf"], isCrawled: false },
  vtt: { label: "WebVTT", mediaTypes: ["text/vtt"], extensions: ["vtt"], isCrawled: false },
  srt: { label: "SubRip (SRT)", mediaTypes: ["application/x-subrip"], extensions: ["srt"], isCrawled: false },
  html: {
    label: "HTML",
    mediaTypes: ["text/html", "application/xhtml+xml"],
    extensions: ["html", "htm", "xhtml"],
    isCrawled: true,
  },
  eml: { label: "email (EML)", mediaTypes: ["message/rfc822"], extensions: ["eml", "mht", "mhtml"], isCrawled: false },
  csv: {
    label: "CSV",
    mediaTypes: ["text/csv", "text/tab-separated-values"],
    extensions: ["csv", "tsv"],
    isCrawled: false,
  },
  markdown: { label: "Markdown", mediaTypes: ["text/markdown"], extensions: ["md", "markdown"], isCrawled: true },
  text: { label: "plain text", mediaTypes: ["text/plain"], extensions: ["txt"], isCrawled: true },
} as const satisfies Record<string, FormatDescriptor>;

type FormatDescriptor = {
  label: string;
  mediaTypes: readonly [string, ...string[]];
  extensions: readonly [string, ...string[]];
  isCrawled: boolean;
};

export type DocumentFormat = keyof typeof documentFormats;

const descriptors = Object.entries(documentFormats) as Array<[DocumentFormat, FormatDescriptor]>;

/** The labels of all formats as an enumeration: "PDF, Word (DOCX), … and plain text". */
export const documentFormatList: string = new Intl.ListFormat("en", { style: "long" })
  .format(descriptors.map(([, { label }]) => label))
  .replace(", and ", " and ");

/** The format of a media type. Its parameters are ignored. */
export function formatOfMediaType(mediaType: string): DocumentFormat | null {
  const [bare = ""] = mediaType.toLowerCase().split(";");
  return descriptors.find(([, { mediaTypes }]) => mediaTypes.includes(bare.trim()))?.[0] ?? null;
}

/** The format of the extension in a file name or URL path. */
export function formatOfName(name: string): DocumentFormat | null {
  const [, extension = ""] = /\.([a-z]{1,10})$/i.exec(name.trim()) ?? [];
  return descriptors.find(([, { extensions }]) => extensions.includes(extension.toLowerCase()))?.[0] ?? null;
}
