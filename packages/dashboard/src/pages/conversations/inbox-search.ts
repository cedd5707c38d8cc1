import type { Input, Output } from "@foyer/sdk";

/** The search parameters of the list. Days are in the user's time zone: `2026-01-31`. */
export type InboxSearch = {
  q?: string;
  feedback?: string;
  from?: string;
  to?: string;
  userId?: string;
  hasForm?: string;
  failed?: string;
  test?: string;
};

export type ListQuery = Input<"listConversations"> & { hasForm?: boolean };

/** A conversation in the list. */
export type ListedConversation = Output<"listConversations">["data"][number] & {
  hasForm?: boolean;
  feedback?: "up" | "down" | null;
};

/** The list request for the search parameters. Invalid parameters are ignored, so old links still work. */
export function toListQuery(
  agentId: string,
  { q, feedback, from, to, userId, hasForm, failed, test }: InboxSearch,
): ListQuery {
  const first = startOfDay(from, 0);
  const end = startOfDay(to, 1);
  return {
    agentId,
    ...(q?.trim() ? { q: q.trim().slice(0, 200) } : {}),
    ...(feedback === "up" || feedback === "down" ? { feedback } : {}),
    ...(hasForm === "true" || hasForm === "false" ? { hasForm: hasForm === "true" } : {}),
    ...(failed === "true" ? { failed: true } : {}),
    ...(test === "true" || test === "false" ? { test: test === "true" } : {}),
    ...(userId?.trim() ? { userId: userId.trim() } : {}),
    ...(first ? { from: first } : {}),
    ...(end ? { to: end } : {}),
  };
}

/** Midnight of a day in the user's time zone, or `later` days after it. Null for an invalid day. */
function startOfDay(day: string | undefined, later: number): string | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? "");
  if (!parts) return null;
  const [year = 0, month = 0, date = 0] = parts.slice(1).map(Number);
  const midnight = new Date(year, month - 1, date + later);
  const isDay = new Date(year, month - 1, date).getDate() === date && month >= 1 && month <= 12;
  return isDay ? midnight.toISOString() : null;
}

/** Describes the active filters without the search. Each can be removed by its name. */
export function describeFilters({ feedback, from, to, userId, hasForm, failed, test }: InboxSearch) {
  const words: Array<{ name: keyof InboxSearch; text: string }> = [];
  if (feedback === "up" || feedback === "down") {
    words.push({ name: "feedback", text: feedback === "up" ? "Rated good" : "Rated bad" });
  }
  if (hasForm === "true" || hasForm === "false") {
    words.push({ name: "hasForm", text: hasForm === "true" ? "With a form" : "Without a form" });
  }
  if (failed === "true") words.push({ name: "failed", text: "With a failed reply" });
  if (test === "true" || test === "false") {
    words.push({ name: "test", text: test === "true" ? "Test chats" : "Without test chats" });
  }
  if (startOfDay(from, 0)) words.push({ name: "from", text: `From ${formatDay(from ?? "")}` });
  if (startOfDay(to, 0)) words.push({ name: "to", text: `Until ${formatDay(to ?? "")}` });
  if (userId?.trim()) words.push({ name: "userId", text: `Visitor ${userId.trim()}` });
  return words;
}

const medium = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

function formatDay(day: string) {
  return medium.format(new Date(`${day}T00:00`));
}

/** The best known name of the visitor. */
export function visitorName({
  userName,
  userEmail,
  userId,
}: Pick<ListedConversation, "userName" | "userEmail" | "userId">) {
  return userName || userEmail || userId || "Anonymous";
}
