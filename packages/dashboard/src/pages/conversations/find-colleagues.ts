import type { Output } from "@foyer/sdk";

type Member = Output<"listMembers">[number];
export type Colleague = { id: string; name: string; email: string; isHere: boolean; isMe: boolean };

/**
 * The members to whom a conversation can be assigned: the user, then colleagues who are present, then all others by
 * name.
 */
export function listColleagues(
  members: readonly Member[],
  { me, assigneeId, present }: { me: string | null; assigneeId: string | undefined; present: ReadonlySet<string> },
): Colleague[] {
  const rank = ({ isMe, isHere }: Colleague) => (isMe ? 0 : isHere ? 1 : 2);
  return members
    .filter(({ id }) => id !== assigneeId)
    .map(({ id, name, email }) => ({
      id,
      name: name || email,
      email,
      isHere: present.has(id),
      isMe: id === me,
    }))
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** The colleagues whose name or address contains every word of the text. */
export function filterColleagues<T extends Colleague>(colleagues: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return colleagues.filter(({ name, email, isMe }) => {
    const searched = `${name} ${email} ${isMe ? "me" : ""}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}
