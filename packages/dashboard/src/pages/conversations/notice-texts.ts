import type { NoticeCode } from "@foyer/contract";

/** What the visitor was told about a reply, for members. */
export const noticeTexts: Record<NoticeCode, string> = {
  picture_not_seen: "The model couldn't see a picture. The visitor was told that this reply doesn't consider it.",
};
