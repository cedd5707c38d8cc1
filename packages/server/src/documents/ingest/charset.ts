/**
 * Returns the encoding that a `Content-Type` header specifies, or null if it specifies none or one that cannot be
 * decoded.
 */
export function parseCharset(contentType: string | string[] | undefined): string | null {
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
