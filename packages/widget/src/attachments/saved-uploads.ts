import type { UploadedAttachment } from "@foyer/contract";
import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import type { PanelContext } from "../panel/panel-context.ts";

/**
 * The milliseconds for which an upload is kept here, for each second for which the server keeps it: five sixths of the
 * time, because the visitor may write for a while.
 */
const KEPT_MS_PER_SECOND = 833;

type Saved = { owner: string; uploads: Array<{ attachment: UploadedAttachment; at: number }> };

/**
 * Keeps the uploads of an unsent message for this tab, until the page is loaded again or the visitor goes to another
 * page of the site. They belong to one session and visitor, and with `handoffOnly` to one conversation.
 */
export function createSavedUploads({ core: { storage, visitor, agent } }: PanelContext) {
  const owner = () =>
    [agent.attachments.handoffOnly ? visitor.current?.id : visitor.sessionId, visitor.identity?.userId].join();

  function readSaved(): Saved["uploads"] {
    const saved = storage.read("session", "uploads") as Partial<Saved> | null;
    const isOwn = saved?.owner === owner() && Array.isArray(saved.uploads);
    return isOwn
      ? (saved.uploads ?? []).filter(
          ({ at, attachment }) => attachment && at + attachment.keptSeconds * KEPT_MS_PER_SECOND > Date.now(),
        )
      : [];
  }

  return {
    read: (): UploadedAttachment[] =>
      readSaved()
        .map(({ attachment }) => attachment)
        .slice(0, attachmentLimits.perMessage),
    write(attachments: readonly UploadedAttachment[]): void {
      const times = new Map(readSaved().map(({ attachment: { id }, at }) => [id, at]));
      const uploads = attachments.map((attachment) => ({ attachment, at: times.get(attachment.id) ?? Date.now() }));
      storage.write("session", "uploads", uploads.length > 0 ? { owner: owner(), uploads } : null);
    },
  };
}
