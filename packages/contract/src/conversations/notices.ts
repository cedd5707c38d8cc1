import Type, { type Static } from "typebox";
import { stringEnum } from "../schema.ts";

export const noticeCodes = ["picture_not_seen"] as const;
export type NoticeCode = (typeof noticeCodes)[number];

export const noticeCode = stringEnum(
  noticeCodes,
  "`picture_not_seen`: the model did not see a picture of the visitor's message, so the reply does not consider it",
);

/** Something that the visitor was told about a reply. */
export const ReplyNotice = Type.Object({ code: noticeCode }, { $id: "ReplyNotice" });
export type ReplyNotice = Static<typeof ReplyNotice>;
