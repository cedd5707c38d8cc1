import { type DocumentFormat, formatOfMediaType, formatOfName } from "@foyer/contract/rules/document-formats";

/** What HTTP and the file name say about a file. `charset` is the encoding that `Content-Type` named. */
export type DeclaredType = { charset: string | null; format: DocumentFormat | null };

/**
 * Reads the type that a sender declared. The name of the file decides if the media type is unknown or only says that
 * the file is text.
 */
export function declaredType(contentType: string | string[] | undefined, name: string): DeclaredType {
  const byMediaType = formatOfMediaType(mediaTypeOf(contentType));
  const isSpecific = byMediaType !== null && byMediaType !== "text";
  return {
    charset: parseCharset(contentType),
    format: isSpecific ? byMediaType : (formatOfName(name) ?? byMediaType),
  };
}

/** The media type in a `Content-Type` header, in lower case. Of several, which proxies add, the last one counts. */
export const mediaTypeOf = (contentType: string | string[] | undefined): string =>
  String(contentType ?? "")
    .replace(/;[^,]*/g, "")
    .split(",")
    .map((type) => type.trim().toLowerCase())
    .findLast((type) => type !== "") ?? "";

/**
 * Returns the encoding that a `Content-Type` header specifies, or null if it specifies none or one that cannot be
 * decoded.
 */
function parseCharset(contentType: string | string[] | undefined): string | null {
  const [, quoted, bare] = charsetParameter.exec(String(contentType ?? "")) ?? [];
  return findEncoding(quoted ?? bare);
}

const charsetParameter = /;\s{0,9}charset\s{0,9}=\s{0,9}(?:"([^"]{1,40})"|([^\s;"]{1,40}))/i;

/** The standard name of an encoding, such as `windows-1252` for the label `latin1`. */
export function findEncoding(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
