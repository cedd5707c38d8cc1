/** What can be moved to the trash. */
export const trashKinds = ["agent", "conversation", "document", "tool", "trigger"] as const;
export type TrashKind = (typeof trashKinds)[number];
