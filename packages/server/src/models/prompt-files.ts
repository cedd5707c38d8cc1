import { randomBytes } from "node:crypto";
import { APICallError, type LanguageModelV4Message, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import { StreamedBody } from "../outbound/streamed-body.ts";

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type UserPart = UserMessage["content"][number];
export type FilePart = Extract<UserPart, { type: "file" }>;
type TextPart = Extract<UserPart, { type: "text" }>;

/**
 * The content of a picture or file. It is read while a request is sent, so that neither the prompt nor a running reply
 * has it in memory. `address` is the IP address of the sender, if any.
 */
export type FileContent = { size: number; address: string | null; read(): AsyncIterable<Buffer> };

/**
 * A picture or file of a message. `text` is sent to models that cannot read it, and `unsentText` when the server has no
 * room for it.
 */
export type PromptFile = {
  id: string;
  name: string;
  mediaType: string;
  content: FileContent;
  text: string;
  unsentText: string;
};

/** Stands for content in a request until it is sent. It is random, and JSON and Base64 escape none of its characters. */
const marker = `foyer${randomBytes(16).toString("hex")}at`;
const placeholders = new RegExp(`(${marker}\\d+z)`);
let placeholderCount = 0;

/** The content of the parts, for which the types of the AI SDK have no place. */
const contents = new WeakMap<FilePart, FileContent>();

/** Creates the part of a visitor's message that contains a picture or file. */
export function toFilePart({ id, name, mediaType, content, text, unsentText }: PromptFile): FilePart {
  placeholderCount += 1;
  const part: FilePart = {
    type: "file",
    filename: name,
    mediaType,
    data: { type: "data", data: `${marker}${placeholderCount}z` },
    providerOptions: { foyer: { id, text, unsentText } },
  };
  contents.set(part, content);
  return part;
}

/** The size of the picture or file in bytes. */
export function sizeOfFile(part: FilePart): number {
  const { data } = part;
  // Base64 has four characters for three bytes.
  const written = data.type === "data" && typeof data.data === "string" ? (data.data.length * 3) / 4 : 0;
  return contents.get(part)?.size ?? written;
}

/** The files of a request whose content is read when it is sent. */
export type RequestFiles = ReturnType<typeof createRequestFiles>;

/** @returns null when the prompt has no content to read */
export function findRequestFiles(prompt: LanguageModelV4Prompt): RequestFiles | null {
  const files = new Map<string, RequestFile>();
  for (const message of prompt) {
    for (const part of message.role === "user" ? message.content : []) {
      const content = part.type === "file" ? contents.get(part) : undefined;
      if (content && part.type === "file" && part.data.type === "data")
        files.set(String(part.data.data), { part, content });
    }
  }
  return files.size === 0 ? null : createRequestFiles(files);
}

type RequestFile = { part: FilePart; content: FileContent };

function createRequestFiles(files: ReadonlyMap<string, RequestFile>) {
  let release = () => {};
  let missing: FilePart | null = null;
  const all = [...files.values()].map(({ content }) => content);

  async function* read(pieces: readonly string[]): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      const file = files.get(piece);
      if (!file) yield Buffer.from(piece);
      else {
        const sent = yield* encodeBase64(file.content.read());
        if (sent === file.content.size) continue;
        missing = file.part;
        throw new Error("A picture or file of the conversation was deleted.");
      }
    }
  }

  return {
    bytes: all.reduce((sum, { size }) => sum + size, 0),
    address: all.find(({ address }) => address !== null)?.address ?? null,
    /** The file that was deleted while the request was sent, if any. */
    get missing(): FilePart | null {
      return missing;
    },
    /** Calls back once the body has been sent, or `release` is called. */
    onRelease(callback: () => void): void {
      release = callback;
    },
    release: () => release(),
    /** Puts the content of the files into a body, piece by piece, in place of their placeholders. */
    fill(body: string): StreamedBody {
      const pieces = body.split(placeholders);
      const bytes = pieces.reduce((sum, piece) => {
        const file = files.get(piece);
        if (!file && piece.startsWith(marker)) throw new Error("The request has a file that its prompt does not have.");
        return sum + (file ? 4 * Math.ceil(file.content.size / 3) : Buffer.byteLength(piece));
      }, 0);
      return new StreamedBody(bytes, async function* () {
        yield* read(pieces);
        release();
      });
    },
    /** The pieces of a body for a signature, which is calculated before it is sent. */
    readPieces: (body: string) => read(body.split(placeholders)),
  };
}

/** @returns the number of bytes */
async function* encodeBase64(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, number> {
  let rest: Buffer = Buffer.alloc(0);
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = joined.length - (joined.length % 3);
    rest = joined.subarray(end);
    if (end > 0) yield Buffer.from(joined.toString("base64", 0, end), "latin1");
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
  return bytes;
}

/** The text that a model receives in place of a picture or file. */
export function toFallback({ providerOptions, filename }: FilePart): TextPart {
  const text = providerOptions?.foyer?.text;
  return { type: "text", text: typeof text === "string" ? text : `[file: ${filename ?? "unnamed"}]` };
}

/** Replaces all pictures and files by the texts that say why the model does not receive them. */
export function withoutUnsentFiles(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return replaceParts(prompt, (part) => {
    const unsentText = part.providerOptions?.foyer?.unsentText;
    return typeof unsentText === "string" ? { type: "text", text: unsentText } : toFallback(part);
  });
}

/** Replaces deleted pictures and files by their names. */
export function withoutDeletedFiles(
  prompt: LanguageModelV4Prompt,
  deleted: ReadonlySet<FilePart>,
): LanguageModelV4Prompt {
  return replaceParts(prompt, (part) => (deleted.has(part) ? toDeleted(part) : part));
}

const toDeleted = ({ mediaType, filename = "unnamed" }: FilePart): TextPart => ({
  type: "text",
  text: `[${mediaType.startsWith("image/") ? "picture" : "file"}: ${filename} (it has been deleted)]`,
});

/** Replaces the pictures and files for which `isReplaced` is true by their text. */
export function replaceFiles(
  prompt: LanguageModelV4Prompt,
  isReplaced: (part: FilePart) => boolean = () => true,
): LanguageModelV4Prompt {
  return replaceParts(prompt, (part) => (isReplaced(part) ? toFallback(part) : part));
}

function replaceParts(prompt: LanguageModelV4Prompt, replace: (part: FilePart) => UserPart): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role !== "user" || !message.content.some(({ type }) => type === "file")) return message;
    return { ...message, content: message.content.map((part) => (part.type === "file" ? replace(part) : part)) };
  });
}

/** Statuses with which providers refuse a picture. */
const REJECTIONS = new Set([400, 404, 415, 422, 500, 501]);
const aboutPictures = /\bimages?\b|image_url|\bvision\b|\bmulti-?modal|\bpictures?\b/i;
const unsupported =
  /\bnot (?:currently )?support|\bunsupported\b|n't support|\bnot (?:enabled|allowed|available|able|accept)|\bdoes(?:n't| not) accept|\bcannot (?:read|process|see|accept)|\bno endpoints? found\b|\bonly (?:supports? )?text\b|\binvalid\b|\bunknown\b|\bunexpected\b|\bexpected\b|\bmust be (?:a )?(?:string|text)|is not a multimodal/i;

/**
 * Whether the provider may have rejected the request because the model cannot read pictures. Some providers refuse a single
 * picture in the same words.
 */
export function rejectsPictures(error: unknown): boolean {
  if (!APICallError.isInstance(error) || !REJECTIONS.has(error.statusCode ?? 0)) return false;
  const text = `${error.message}\n${error.responseBody?.slice(0, 2_000) ?? ""}`;
  return aboutPictures.test(text) && unsupported.test(text);
}

/** Whether a picture of the visitor's newest message reaches the model only as a text. */
export function hidesPictures(prompt: LanguageModelV4Prompt, isSent: (part: FilePart) => boolean): boolean {
  const newest = prompt.findLast((message) => message.role === "user");
  if (newest?.role !== "user") return false;
  return newest.content.some((part) =>
    part.type === "file"
      ? part.mediaType.startsWith("image/") && !isSent(part)
      : part.providerOptions?.foyer?.isUnseenPicture === true,
  );
}

/** The pictures and files of a prompt, oldest first. */
export function listFiles(prompt: LanguageModelV4Prompt): FilePart[] {
  return prompt.flatMap(({ role, content }) => (role === "user" ? content.filter((part) => part.type === "file") : []));
}

/** A white picture of 64 × 64 pixels that every model can read. Some models refuse smaller ones. */
export const goodPicture: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: {
    type: "data",
    data: "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoPo33UrYvQQckD4XAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAYHLAMpT0sIcNbcEAAAAAElFTkSuQmCC",
  },
};
