import type { VisitorProfile } from "@foyer/contract";

type Item<Name extends "conversations" | "submissions" | "pages"> = VisitorProfile[Name][number];

export type TimelineEntry =
  | { kind: "conversation"; at: string; conversation: Item<"conversations"> }
  | { kind: "submission"; at: string; submission: Item<"submissions"> }
  | { kind: "page"; at: string; page: Item<"pages"> };

/** What a visitor did, newest first. */
export function toTimeline({
  conversations,
  submissions,
  pages,
}: Pick<VisitorProfile, "conversations" | "submissions" | "pages">): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...conversations.map((conversation) => ({
      kind: "conversation" as const,
      at: conversation.createdAt,
      conversation,
    })),
    ...submissions.map((submission) => ({ kind: "submission" as const, at: submission.createdAt, submission })),
    ...pages.map((page) => ({ kind: "page" as const, at: page.at, page })),
  ];
  return entries.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
