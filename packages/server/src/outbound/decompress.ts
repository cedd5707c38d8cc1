import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflateEither: Decoder = async (body, options) => {
  try {
    return await promisify(inflate)(body, options);
  } catch (error) {
    if (isTooLarge(error)) throw error;
    // Some servers send deflate without the header that the standard requires.
    return promisify(inflateRaw)(body, options);
  }
};

const decoders: Record<string, Decoder> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: inflateEither,
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** The body cannot be decompressed: it is too large, damaged, or in an unknown encoding. */
export class DecompressError extends Error {
  readonly kind: "too_large" | "damaged" | "unknown";
  readonly encoding: string;

  constructor(kind: DecompressError["kind"], encoding: string) {
    super(`The response is compressed (${encoding}) and cannot be read.`);
    this.kind = kind;
    this.encoding = encoding;
  }
}

/**
 * Decompresses a body outside the event loop. Servers also name encodings that they did not apply, and write other
 * things into the header, such as a charset, so a body that starts like text is returned as it is.
 * @throws DecompressError
 */
export async function decompress(
  body: Buffer,
  contentEncoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const names = String(contentEncoding ?? "")
    .toLowerCase()
    .split(",");
  const encodings = names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
  let decoded = body;
  for (const encoding of encodings.reverse()) {
    if (decoded.length === 0) return decoded;
    const decode = decoders[encoding];
    try {
      if (!decode) throw new DecompressError("unknown", encoding);
      decoded = await decode(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      if (isTooLarge(error)) throw new DecompressError("too_large", encoding);
      if (!startsWithText(decoded)) throw decode ? new DecompressError("damaged", encoding) : error;
    }
  }
  return decoded;
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

const startsWithText = (body: Buffer) => /^[\s\ufeff]*[<{[\w#%"-]/.test(body.subarray(0, 200).toString("utf8"));
