import { isUtf8 } from "node:buffer";

/**
 * The text of a response, or null when neither its type nor its bytes show that it is text. Many servers send JSON under
 * a binary type, and many name no charset, or another one than they use.
 */
export function decodeText(body: Buffer, contentType: string): string | null {
  const type = contentType.split(";", 1)[0]?.trim() ?? "";
  if (body.length > 0 && !textTypes.test(type) && (mediaTypes.test(type) || !looksLikeText(body))) return null;
  return createDecoder(findCharset(body, contentType)).decode(body);
}

const textTypes =
  /^text\/|\+(json|xml|yaml)$|^application\/(json|(x-)?ndjson|jsonl|xml|(x-)?yaml|(x-)?javascript|x-www-form-urlencoded)$/;

const mediaTypes = /^(image|audio|video|font)\//;

// biome-ignore lint/suspicious/noControlCharactersInRegex: only bytes that are no text contain them
const looksLikeText = (body: Buffer) => isUtf8(body) && !/[\0-\x08\x0e-\x1f]/.test(body.toString("latin1"));

/** What a byte order mark, the server or the document says, unless the bytes are no UTF-8 although they should be. */
function findCharset(body: Buffer, contentType: string): string {
  if (body[0] === 0xff && body[1] === 0xfe) return "utf-16le";
  if (body[0] === 0xfe && body[1] === 0xff) return "utf-16be";
  if (body.length > 3 && body[0] === 0 && body[2] === 0) return "utf-16be";
  if (body.length > 3 && body[1] === 0 && body[3] === 0) return "utf-16le";
  const start = body.toString("latin1", 0, 1_024);
  const declared =
    /;\s*charset\s*=\s*["']?([^\s;"']+)/.exec(contentType)?.[1] ??
    /<\?xml[^>]*\sencoding=["']([\w.:-]+)|<meta[^>]*\scharset=["']?([\w.:-]+)/i.exec(start)?.slice(1).find(Boolean);
  if (declared !== undefined && !/^utf-?8/i.test(declared)) return declared;
  return isUtf8(body) ? "utf-8" : "windows-1252";
}

function createDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
