import type { NoticeCode } from "@foyer/contract";

/** What the visitor was told about a reply, for members. */
export const noticeTexts: Record<NoticeCode, string> = {
  picture_not_seen: "The model can't see pictures. The visitor was told that this reply doesn't consider theirs.",
};
