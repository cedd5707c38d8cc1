import {
  type ConversationQuery,
  type ConversationSelection,
  type InboxView,
  maxViews,
  type ViewReference,
} from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { isMissingReference } from "../../db/database-errors.ts";
import type { InboxViewRow } from "../../db/tables/inbox.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createViewStore, type ViewUser } from "./store.ts";

type Filter = { [Name in keyof ConversationSelection]?: ConversationSelection[Name] | null };
type ViewInput = Partial<Pick<InboxView, "name" | "isShared" | "teamId" | "sort" | "columns">> & { filter?: Filter };
type Owner = ViewUser & { userId: string };

export type ViewService = ReturnType<typeof createViewService>;

/** Manages saved views: filters of the inbox that a member keeps, or that the organization or a team shares. */
export function createViewService({ db }: Pick<Deps, "db">) {
  const store = createViewStore(db);

  async function toViews(organizationId: string, rows: readonly InboxViewRow[]): Promise<InboxView[]> {
    const filters = rows.map(readFilter);
    const missingOf = await store.findMissing(organizationId, filters);
    return rows.map((row, index) => toView(row, missingOf(filters[index] ?? {})));
  }

  async function toSingleView(organizationId: string, row: InboxViewRow): Promise<InboxView> {
    const missingOf = await store.findMissing(organizationId, [readFilter(row)]);
    return toView(row, missingOf(readFilter(row)));
  }

  /** @throws 400 when the organization does not have what the filter names */
  async function checkFilter(organizationId: string, filter: ConversationSelection): Promise<void> {
    const [missing] = (await store.findMissing(organizationId, [filter]))(filter);
    if (!missing) return;
    const field = missing === "agent" ? "agentId" : missing;
    throw invalid(`filter.${field}`, `names ${described[missing]} that does not exist`, "unknown_reference");
  }

  /** Who has the view. @throws 400 when the member does not belong to the team that is to share it */
  async function readSharing({ organizationId, userId }: Owner, { isShared, teamId }: ViewInput) {
    if (typeof teamId !== "string") {
      if (isShared === undefined) return teamId === undefined ? {} : { teamId: null };
      return isShared ? { ownerId: null, ...omitUndefined({ teamId }) } : { ownerId: userId, teamId: null };
    }
    if (isShared === false) throw invalid("teamId", "shares the view, so isShared must not be false");
    if (await store.isTeamMember(organizationId, { teamId, userId })) return { ownerId: null, teamId };
    throw foreignTeamError();
  }

  /** @throws 404 when there is no such view, 409 when it names something that was deleted */
  async function usable(user: ViewUser, id: string): Promise<InboxViewRow> {
    const row = isId("view", id) ? await store.get(user, id) : undefined;
    if (!row) throw notFound("View");
    const filter = readFilter(row);
    const [missing] = (await store.findMissing(user.organizationId, [filter]))(filter);
    if (!missing) return row;
    const message = `The view ${row.name} names ${described[missing]} that no longer exists. Change or delete the view.`;
    throw new AppError("CONFLICT", message);
  }

  return {
    list: async (user: Owner): Promise<InboxView[]> => toViews(user.organizationId, await store.list(user)),
    /** @throws 409 when there are too many views */
    async create(user: Owner, input: ViewInput): Promise<InboxView> {
      const { name = "", filter = {}, sort, columns } = input;
      const kept = omitNulls(filter);
      await checkFilter(user.organizationId, kept);
      const now = Date.now();
      const row: InboxViewRow = {
        id: newId("view"),
        organizationId: user.organizationId,
        ownerId: user.userId,
        teamId: null,
        ...(await readSharing(user, input)),
        name: name.trim(),
        filter: JSON.stringify(kept),
        sort: sort ?? "activity",
        columns: JSON.stringify(columns ?? []),
        createdAt: now,
        updatedAt: now,
      };
      if (!(await store.insert(row).catch(rethrowMissingTeam(row)))) throw tooManyError(row);
      return toView(row, []);
    },
    /** @throws 404 when the member has no such view, 409 when there are too many views */
    async update(user: Owner, id: string, input: ViewInput): Promise<InboxView> {
      const { name, filter, sort, columns } = input;
      const kept = filter && omitNulls(filter);
      if (kept) await checkFilter(user.organizationId, kept);
      const changes = {
        ...omitUndefined({
          name: name?.trim(),
          filter: kept && JSON.stringify(kept),
          sort,
          columns: columns && JSON.stringify(columns),
        }),
        ...(await readSharing(user, input)),
        updatedAt: Date.now(),
      };
      const row = isId("view", id)
        ? await store.update(user, id, changes).catch(rethrowMissingTeam(changes))
        : undefined;
      if (row === null) throw tooManyError(changes);
      if (!row) throw notFound("View");
      return toSingleView(user.organizationId, row);
    },
    async delete(user: Owner, id: string): Promise<void> {
      if (!isId("view", id) || !(await store.delete(user, id))) throw notFound("View");
    },
    /**
     * The filter of a view for an action on everything that it finds, which must not reach further than its member
     * meant. @throws 404, 409 when it names something that was deleted
     */
    filterOf: async (user: ViewUser, id: string): Promise<ConversationSelection> => readFilter(await usable(user, id)),
    /**
     * Adds the filters and the order of the view that a query names, where the query has none. Filters for something
     * that was deleted are left out. @throws 404
     */
    async apply(user: ViewUser, query: ConversationQuery): Promise<ConversationQuery> {
      if (query.view === undefined) return query;
      const row = isId("view", query.view) ? await store.get(user, query.view) : undefined;
      if (!row) throw notFound("View");
      const filter = readFilter(row);
      const missing = (await store.findMissing(user.organizationId, [filter]))(filter);
      for (const reference of missing) delete filter[reference === "agent" ? "agentId" : reference];
      return { ...filter, ...(row.sort === "activity" ? { sort: "activity" } : {}), ...query };
    },
  };
}

const described: Record<ViewReference, string> = {
  agent: "an agent",
  tag: "a tag",
  assignee: "a member",
  team: "a team",
};

function tooManyError({ ownerId }: { ownerId?: string | null }): AppError {
  const whose =
    ownerId === null ? "shared views, including those of teams that you do not belong to" : "views of yours";
  return new AppError("CONFLICT", `There are ${maxViews} ${whose}. Delete one before you add another.`);
}

const foreignTeamError = () => invalid("teamId", "is not a team that you belong to", "unknown_reference");

/** @returns a handler for the error of a write whose team was deleted since it was checked */
function rethrowMissingTeam({ teamId }: { teamId?: string | null }) {
  return (error: unknown): never => {
    throw isMissingReference(error) && typeof teamId === "string" ? foreignTeamError() : error;
  };
}

function readFilter({ filter }: Pick<InboxViewRow, "filter">): ConversationSelection {
  return JSON.parse(filter);
}

function omitNulls(filter: Filter): ConversationSelection {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null));
}

function toView(row: InboxViewRow, missing: ViewReference[]): InboxView {
  return {
    id: row.id,
    name: row.name,
    isShared: row.ownerId === null,
    teamId: row.teamId,
    sort: row.sort,
    columns: JSON.parse(row.columns),
    filter: readFilter(row),
    missing,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
