import { invalid } from "../../errors.ts";
import { decodeName } from "./clean-name.ts";

export type UploadedFile = { name: string; bytes: Buffer };

const boundaryParameter = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
/** The headers of a part are a few hundred bytes long. */
const MAX_HEADERS_BYTES = 8_192;

/** Reads a body of `multipart/form-data` with one part `file`. @throws 400 for any other body */
export function readMultipart(body: Buffer, contentType: string): UploadedFile {
  const [, quoted, bare] = boundaryParameter.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw invalid("file", "the Content-Type names no boundary");
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  const start = body.indexOf(delimiter);
  const headersStart = start + delimiter.length + 2;
  const headersEnd = start < 0 ? -1 : body.indexOf("\r\n\r\n", headersStart);
  if (headersEnd < 0 || headersEnd - headersStart > MAX_HEADERS_BYTES) throw missingPartError();
  const headers = body.toString("utf8", headersStart, headersEnd);
  const disposition = /^content-disposition:(.*)$/im.exec(headers)?.[1] ?? "";
  if (!/;\s*name="?file"?\s*(?:;|$)/i.test(disposition)) throw missingPartError();
  const contentStart = headersEnd + 4;
  const contentEnd = body.indexOf(Buffer.concat([Buffer.from("\r\n"), delimiter]), contentStart);
  if (contentEnd < 0) throw invalid("file", "the body ends before its last boundary");
  const isLast = body.toString("latin1", contentEnd + 2 + delimiter.length, contentEnd + 4 + delimiter.length) === "--";
  if (!isLast) throw invalid("file", "send one part, and only that one");
  return { name: readFileName(disposition), bytes: body.subarray(contentStart, contentEnd) };
}

/**
 * Browsers write quotation marks and line breaks of a name percent-encoded, and other clients write a backslash before
 * the quotation mark, no quotation marks around the name, or RFC 8187's `filename*`.
 */
function readFileName(disposition: string): string {
  const encoded = /;\s*filename\*=UTF-8'[^']*'([^\s;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeName(encoded);
  const [, quoted, bare] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted?.replaceAll('\\"', '"') ?? bare ?? "";
  return name.replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));
}

function missingPartError() {
  return invalid("file", "send the file as the part `file` of the form, or as the body itself", "required");
}
