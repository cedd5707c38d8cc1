import { randomUUID } from "node:crypto";

/** Encodes fields and one file as `multipart/form-data`. */
export function encodeMultipart(
  fields: Record<string, string | undefined>,
  file: { field: string; name: string; type: string; content: Buffer },
): { contentType: string; body: Buffer } {
  const boundary = randomUUID();
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)],
  );
  // Names were cleaned of control characters when they were stored.
  const name = file.name.replaceAll('"', "%22");
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${file.field}"; filename="${name}"\r\ncontent-type: ${file.type}\r\n\r\n`;
  const body = Buffer.concat([...parts, Buffer.from(head), file.content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
