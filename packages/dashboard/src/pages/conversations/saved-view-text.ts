import type { ConversationSelection, ViewReference } from "@foyer/contract";
import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { ratingFilterText } from "../../components/rating-text.ts";
import { endpointQuery } from "../../data/queries.ts";
import { type InboxSearch, toListQuery, toSelection } from "./inbox-search.ts";

export type SavedView = Output<"listInboxViews">[number];

/** The saved view that the inbox shows, or undefined if there is none or it has not loaded. */
export function useSavedView({ saved }: InboxSearch): SavedView | undefined {
  const { data } = useQuery({ ...endpointQuery("listInboxViews"), enabled: Boolean(saved) });
  return saved ? data?.find(({ id }) => id === saved) : undefined;
}

/**
 * The filters that the inbox shows now: the search's own, and those of the open view. Null if a view cannot keep one of
 * them, such as a date.
 */
export function currentFilter(
  agentId: string,
  search: InboxSearch,
  view: SavedView | undefined,
): ConversationSelection | null {
  const { view: _, ...query } = toListQuery(agentId, search);
  const own = toSelection(query);
  return own && { ...view?.filter, ...own };
}

/** The names of what a filter can refer to by id, or undefined until they have loaded. */
export type FilterNames = Record<ViewReference, ReadonlyMap<string, string> | undefined>;

const referenceOf = { agentId: "agent", tag: "tag", assignee: "assignee", team: "team" } as const;
const deleted: Record<ViewReference, string> = {
  agent: "an agent that was deleted",
  tag: "a tag that was deleted",
  assignee: "a member who has left",
  team: "a team that was deleted",
};

/** What a view names although it no longer exists, as a sentence. */
export function describeMissing(missing: readonly ViewReference[]): string {
  const list = new Intl.ListFormat("en").format(missing.map((reference) => deleted[reference]));
  return `This view names ${list}. It shows the rest.`;
}

/** Each filter of a view in words, with its name in the filter. */
export function describeFilter(filter: ConversationSelection, names: FilterNames) {
  const named = (key: keyof typeof referenceOf, id: string) => {
    const reference = referenceOf[key];
    const known = names[reference];
    return known ? (known.get(id) ?? deleted[reference]) : "…";
  };
  const { agentId, handler, status, assignee, unread, q, feedback, rating, hasForm, failed, test, tag, team } = filter;
  const texts: { [Name in keyof ConversationSelection]: string | undefined } = {
    agentId: agentId && `Agent: ${named("agentId", agentId)}`,
    handler: handler && { waiting: "Waiting for a person", human: "With the team", agent: "With the agent" }[handler],
    status: status && { open: "Open", resolved: "Resolved", snoozed: "Snoozed" }[status],
    assignee:
      assignee &&
      (assignee === "me"
        ? "Assigned to me"
        : assignee === "none"
          ? "Unassigned"
          : `Assigned to: ${named("assignee", assignee)}`),
    unread: unread === undefined ? undefined : unread ? "Unread" : "Read",
    q: q && `Contains “${q}”`,
    feedback: feedback && (feedback === "up" ? "Rated good" : "Rated bad"),
    rating: rating && ratingFilterText(rating),
    hasForm: hasForm === undefined ? undefined : hasForm ? "With a form" : "Without a form",
    failed: failed === undefined ? undefined : failed ? "With a failed reply" : "Without failed replies",
    test: test === undefined ? undefined : test ? "Test chats" : "Without test chats",
    tag: tag && `Tag: ${named("tag", tag)}`,
    team: team && `Team: ${named("team", team)}`,
  };
  return Object.entries(texts).flatMap(([name, text]) => (text ? [{ name, text }] : []));
}
