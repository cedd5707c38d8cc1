import type { ConversationSelection, ConversationTag } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { Input, Output } from "@foyer/sdk";
import { startOfDay } from "../../components/start-of-day.ts";

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
  /** The id of a tag. */
  tag?: string;
  /** One of `InboxView`. If omitted, the list shows all conversations of the agent. */
  view?: string;
  /** `agent`: a view shows only the conversations of this agent. */
  scope?: string;
  /** `agent`: only conversations that the agent has. Views of conversations that need people ignore it. */
  handler?: string;
};

/**
 * The agent's unread conversations or those with a status, or conversations of all agents that need people: those that are waiting, the user's
 * own, or those with any member.
 */
export type InboxView = (typeof inboxViews)[number];

const inboxViews = ["unread", "open", "resolved", "snoozed", "waiting", "mine", "human"] as const;

export function readView({ view }: InboxSearch): InboxView | null {
  return inboxViews.find((one) => one === view) ?? null;
}

/** Whether the view shows conversations of all agents that need people. */
export function isTeamView(search: InboxSearch): boolean {
  const view = readView(search);
  return view === "waiting" || view === "mine" || view === "human";
}

export type ListQuery = Input<"listConversations"> & { hasForm?: boolean };

/** A conversation in the list. */
export type ListedConversation = Output<"listConversations">["data"][number] & {
  hasForm?: boolean;
  feedback?: "up" | "down" | null;
};

/** The list request for the search parameters. Invalid parameters are ignored, so old links still work. */
export function toListQuery(agentId: string, search: InboxSearch): ListQuery {
  const { q, feedback, from, to, userId, hasForm, failed, test, tag, scope, handler } = search;
  const view = readView(search);
  const isTeam = isTeamView(search);
  return omitUndefined({
    agentId: !isTeam || scope === "agent" ? agentId : undefined,
    handler: !isTeam ? (handler === "agent" ? "agent" : undefined) : view === "waiting" ? "waiting" : "human",
    unread: view === "unread" || undefined,
    status: view === "open" || view === "resolved" || view === "snoozed" ? view : undefined,
    assignee: view === "mine" ? "me" : undefined,
    q: q?.trim().slice(0, 200) || undefined,
    feedback: feedback === "up" || feedback === "down" ? feedback : undefined,
    hasForm: toBoolean(hasForm),
    failed: toBoolean(failed) || undefined,
    test: toBoolean(test),
    tag: tag || undefined,
    userId: userId?.trim() || undefined,
    from: startOfDay(from),
    to: startOfDay(to, 1),
  });
}

/**
 * The filters of the list for a bulk action on everything that it finds, or null if they contain one that bulk actions
 * do not know.
 */
export function toSelection({ from, to, userId, ...filters }: ListQuery): ConversationSelection | null {
  return from === undefined && to === undefined && userId === undefined ? filters : null;
}

function toBoolean(text: string | undefined): boolean | undefined {
  return text === "true" || text === "false" ? text === "true" : undefined;
}

/** A change of the search parameters that clears the filters but keeps the search text and the view. */
export const noFilters = {
  feedback: undefined,
  hasForm: undefined,
  failed: undefined,
  test: undefined,
  tag: undefined,
  from: undefined,
  to: undefined,
  userId: undefined,
  scope: undefined,
  handler: undefined,
};

/**
 * Describes the active filters, except the search text. Each filter can be removed by its name.
 * @param tags the tags of the organization, or undefined until they have loaded
 */
export function describeFilters(search: InboxSearch, tags?: readonly ConversationTag[]) {
  const { feedback, from, to, userId, hasForm, failed, test, tag, scope } = search;
  const isWithAgent = !isTeamView(search) && search.handler === "agent";
  const active: Array<{ name: keyof InboxSearch; text: string }> = [];
  if (isTeamView(search) && scope === "agent") active.push({ name: "scope", text: "Only this agent" });
  if (isWithAgent) active.push({ name: "handler", text: "With the agent" });
  if (feedback === "up" || feedback === "down") {
    active.push({ name: "feedback", text: feedback === "up" ? "Rated good" : "Rated bad" });
  }
  if (hasForm === "true" || hasForm === "false") {
    active.push({ name: "hasForm", text: hasForm === "true" ? "With a form" : "Without a form" });
  }
  if (failed === "true") active.push({ name: "failed", text: "With a failed reply" });
  if (test === "true" || test === "false") {
    active.push({ name: "test", text: test === "true" ? "Test chats" : "Without test chats" });
  }
  if (tag) {
    const name = tags?.find(({ id }) => id === tag)?.name;
    active.push({ name: "tag", text: name ? `Tagged ${name}` : tags ? "Deleted tag" : "Tag" });
  }
  if (startOfDay(from)) active.push({ name: "from", text: `Started from ${formatDay(from ?? "")}` });
  if (startOfDay(to)) active.push({ name: "to", text: `Started until ${formatDay(to ?? "")}` });
  if (userId?.trim()) active.push({ name: "userId", text: `Visitor ${userId.trim()}` });
  return active;
}

const medium = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

function formatDay(day: string) {
  return medium.format(new Date(`${day}T00:00`));
}

export const ANONYMOUS = "Anonymous";

type Visitor = Pick<ListedConversation, "userName" | "userEmail" | "userId">;

/** The best known name of the visitor, or null. */
export function knownName({ userName, userEmail, userId }: Visitor): string | null {
  return userName || userEmail || userId || null;
}

export function visitorName(visitor: Visitor): string {
  return knownName(visitor) ?? ANONYMOUS;
}
