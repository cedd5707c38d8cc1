import type { ConversationSelection, ConversationTag } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { textPatterns } from "@foyer/contract/rules/text-patterns";
import type { Input, Output } from "@foyer/sdk";
import { ratingFilterText } from "../../components/rating-text.ts";
import { startOfDay } from "../../components/start-of-day.ts";

/** The search parameters of the list. Days are in the user's time zone: `2026-01-31`. */
export type InboxSearch = {
  q?: string;
  feedback?: string;
  /** Ratings of whole conversations: `any`, `none`, or scores such as `1,2`. */
  rating?: string;
  from?: string;
  to?: string;
  userId?: string;
  hasForm?: string;
  failed?: string;
  test?: string;
  /** The id of a tag. */
  tag?: string;
  /** One of `InboxView`. Otherwise, the list shows all conversations of the agent. */
  view?: string;
  /** The id of a saved view, whose filters apply where the search has none of its own. */
  saved?: string;
  /** `agent`: the view shows only the conversations of this agent. */
  scope?: string;
  /** `agent`: only conversations that the agent has. Views of conversations that need people ignore it. */
  handler?: string;
};

/**
 * Conversations of all agents: those that are waiting, the user's own, those with any member, the unread ones, or those
 * with a status.
 */
export type InboxView = (typeof inboxViews)[number];

/** The views that have a tab. */
export const inboxTabs = ["waiting", "mine", "unread", "open", "snoozed", "resolved"] as const;
export const inboxViews = [...inboxTabs, "human"] as const;

export const viewNames: Record<InboxView, string> = {
  waiting: "Waiting",
  mine: "Mine",
  unread: "Unread",
  open: "Open",
  resolved: "Resolved",
  snoozed: "Snoozed",
  human: "With the team",
};

/** Whether the list shows the open conversations, or all of the agent, without a search or filter. */
export function isGeneral({ view, ...search }: InboxSearch): boolean {
  const shown = readView({ view: view ?? "" });
  return (shown === null || shown === "open") && Object.values(search).every((value) => !value);
}

export function readView({ view, saved }: InboxSearch): InboxView | null {
  if (saved) return null;
  return inboxViews.find((one) => one === view) ?? null;
}

/** Whether the list shows the conversations of all agents unless they are filtered by one. */
export function hasAllAgents(search: InboxSearch): boolean {
  return readView(search) !== null || Boolean(search.saved);
}

function hasTab(view: InboxView): boolean {
  return inboxTabs.some((tab) => tab === view);
}

/** Whether the view shows conversations that need people, which have an order of their own. */
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
  const { q, feedback, rating, from, to, userId, hasForm, failed, test, tag, scope, handler, saved } = search;
  const view = readView(search);
  const isTeam = isTeamView(search);
  return omitUndefined({
    view: saved || undefined,
    agentId: !hasAllAgents(search) || scope === "agent" ? agentId : undefined,
    handler: !isTeam ? (handler === "agent" ? "agent" : undefined) : view === "waiting" ? "waiting" : "human",
    unread: view === "unread" || undefined,
    status: view === "open" || view === "resolved" || view === "snoozed" ? view : undefined,
    assignee: view === "mine" ? "me" : undefined,
    q: q?.trim().slice(0, 200) || undefined,
    feedback: feedback === "up" || feedback === "down" ? feedback : undefined,
    rating: isRatingFilter(rating) ? rating : undefined,
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
export function toSelection({ from, to, userId, view, ...filters }: ListQuery): ConversationSelection | null {
  const isKnown = from === undefined && to === undefined && userId === undefined && view === undefined;
  return isKnown ? filters : null;
}

const ratingFilter = new RegExp(textPatterns.ratingFilter);

function isRatingFilter(rating: string | undefined): rating is string {
  return rating !== undefined && ratingFilter.test(rating);
}

function toBoolean(text: string | undefined): boolean | undefined {
  return text === "true" || text === "false" ? text === "true" : undefined;
}

/** A change of the search parameters that clears the filters but keeps the search text and the view. */
export const noFilters = {
  feedback: undefined,
  rating: undefined,
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

/** The change that opens a view, without a filter that it does not have. Null shows all conversations of the agent. */
export function openView(view: InboxView | null) {
  return {
    view: view ?? undefined,
    saved: undefined,
    ...(view === null ? { scope: undefined } : {}),
    ...(isTeamView({ view: view ?? "" }) ? { handler: undefined } : {}),
  };
}

/**
 * Describes the active filters, except the search text. Each filter can be removed by its name.
 * @param tags the tags of the organization, or undefined until they have loaded
 */
export function describeFilters(search: InboxSearch, tags?: readonly ConversationTag[]) {
  const { feedback, rating, from, to, userId, hasForm, failed, test, tag, scope } = search;
  const isWithAgent = !isTeamView(search) && search.handler === "agent";
  const active: Array<{ name: keyof InboxSearch; text: string }> = [];
  const view = readView(search);
  if (view !== null && !hasTab(view)) active.push({ name: "view", text: viewNames[view] });
  if (hasAllAgents(search) && scope === "agent") active.push({ name: "scope", text: "Only this agent" });
  if (isWithAgent) active.push({ name: "handler", text: "With the agent" });
  if (feedback === "up" || feedback === "down") {
    active.push({ name: "feedback", text: feedback === "up" ? "Rated good" : "Rated bad" });
  }
  if (isRatingFilter(rating)) active.push({ name: "rating", text: ratingFilterText(rating) });
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
