import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import { interpolate } from "../locales/load-messages.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import { formatSize } from "./format-size.ts";
import { isPicture } from "./prepare-picture.ts";
import type { AttachmentTexts } from "./texts/load-texts.ts";

/** Finds out why a file cannot be sent. `others` is the size of the message's other files. The result is null if it can. */
export function createFileCheck({ core: { agent, locale } }: PanelContext, texts: AttachmentTexts) {
  const { images, files } = agent.attachments;

  function ofSize({ size }: Blob, others: number): string | null {
    const { fileBytes, messageBytes } = attachmentLimits;
    if (size > fileBytes) return interpolate(texts.tooLarge, { size: formatSize(fileBytes, locale) });
    return others + size > messageBytes
      ? interpolate(texts.tooLargeTogether, { size: formatSize(messageBytes, locale) })
      : null;
  }

  return {
    ofSize,
    ofFile(file: File, others: number): string | null {
      const isImage = isPicture(file);
      const isKnown =
        isImage || /\.(pdf|docx|txt|csv)$/i.test(file.name) || /^(application\/pdf|text\/)/.test(file.type);
      if (!isKnown || (isImage ? !images : !files)) {
        const types = [
          ...(images ? ["JPEG", "PNG", "GIF", "WebP"] : []),
          ...(files ? ["PDF", "DOCX", "TXT", "CSV"] : []),
        ];
        return interpolate(texts.unsupported, { types: types.join(", ") });
      }
      // The size of a picture is known once it is reduced.
      return isImage ? null : ofSize(file, others);
    },
  };
}
