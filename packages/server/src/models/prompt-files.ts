import { APICallError, type LanguageModelV4Message, type LanguageModelV4Prompt } from "@ai-sdk/provider";

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type UserPart = UserMessage["content"][number];
export type FilePart = Extract<UserPart, { type: "file" }>;
type TextPart = Extract<UserPart, { type: "text" }>;

/** A picture or file of a message. `content` is Base64, and `text` is sent to models that cannot read it. */
export type PromptFile = { id: string; name: string; mediaType: string; content: string; text: string };

/** Creates the part of a visitor's message that contains a picture or file. */
export function toFilePart({ id, name, mediaType, content, text }: PromptFile): FilePart {
  return {
    type: "file",
    filename: name,
    mediaType,
    data: { type: "data", data: content },
    providerOptions: { foyer: { id, text } },
  };
}

/** The text that a model receives in place of a picture or file. */
export function toFallback({ providerOptions, filename }: FilePart): TextPart {
  const text = providerOptions?.foyer?.text;
  return { type: "text", text: typeof text === "string" ? text : `[file: ${filename ?? "unnamed"}]` };
}

/** Replaces the pictures and files for which `isReplaced` is true by their text. */
export function replaceFiles(
  prompt: LanguageModelV4Prompt,
  isReplaced: (part: FilePart) => boolean = () => true,
): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role !== "user" || !message.content.some(({ type }) => type === "file")) return message;
    const content = message.content.map((part) => (part.type === "file" && isReplaced(part) ? toFallback(part) : part));
    return { ...message, content };
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
