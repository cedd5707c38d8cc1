import type { ConversationSelection } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { Select, TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useDialogForm } from "../../components/use-dialog-form.ts";
import { api } from "../../data/api.ts";
import { endpointQuery, refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import { describeFilter, type FilterNames, type SavedView } from "./saved-view-text.ts";
import { useMe } from "./use-me.ts";

type Column = SavedView["columns"][number];

const viewColumns: readonly Column[] = ["agent", "assignee", "tags", "cost"];

const columnNames: Record<Column, string> = { agent: "Agent", assignee: "Member", tags: "Tags", cost: "Cost" };

/** Saves the filters of the inbox as a view, or changes a view. */
export function ViewDialog({
  view,
  filter,
  onClose,
  onSaved,
}: {
  view: SavedView | null;
  /** The filters to begin with. */
  filter: ConversationSelection;
  onClose: () => void;
  onSaved: (id: string) => void;
}) {
  const names = useFilterNames();
  const me = useMe();
  const teams = useQuery(endpointQuery("listTeams")).data ?? [];
  // Only members of a team can share a view with it.
  const own = teams.filter(({ id, members }) => id === view?.teamId || members.some(({ userId }) => userId === me));
  const form = useDialogForm(
    {
      name: view?.name ?? "",
      teamId: view?.teamId ?? (view?.isShared ? "everyone" : ""),
      sort: view?.sort ?? "activity",
      columns: view?.columns ?? ["tags" as const],
      filter,
    },
    async ({ name, teamId, sort, columns, filter }) => {
      const sharing =
        teamId === "" ? { isShared: false } : { isShared: true, teamId: teamId === "everyone" ? null : teamId };
      const body = { name, sort, columns, filter, ...sharing };
      const { id } = view ? await api.updateInboxView({ id: view.id, body }) : await api.createInboxView({ body });
      await refresh("listInboxViews", "listConversations");
      notify(`${name} saved`);
      onClose();
      onSaved(id);
    },
  );
  const { values } = form;
  const filters = describeFilter(values.filter, names);
  return (
    <FormDialog
      title={view ? "Change view" : "Save as a view"}
      action={view ? "Save changes" : "Save view"}
      form={form}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoComplete="off"
        maxLength={60}
        value={values.name}
        onChange={(name) => form.change({ name })}
        error={form.errorAt("name")}
      />
      <div className="grid gap-1">
        <p className="font-medium">Filters</p>
        {filters.length === 0 ? (
          <p className="text-soft">None: all conversations of all agents</p>
        ) : (
          <ul aria-label="Filters of the view" className="flex flex-wrap gap-1">
            {filters.map(({ name, text }) => (
              <li key={name}>
                <button
                  type="button"
                  onClick={() => form.change(({ filter }) => ({ filter: without(filter, name) }))}
                  className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-md border border-line bg-raised px-2 text-sm hover:bg-hover pointer-coarse:min-h-11"
                >
                  <span className="truncate">{text}</span>
                  <X size={14} aria-hidden className="shrink-0 text-soft" />
                  <span className="sr-only">, remove this filter</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {form.errorAt("filter") && <p className="text-sm text-wrong">{form.errorAt("filter")}</p>}
      </div>
      <Select
        label="Who has the view"
        value={values.teamId}
        onChange={(teamId) => form.change({ teamId })}
        options={[
          { value: "", label: "Only you" },
          ...own.map(({ id, name }) => ({ value: id, label: `The team ${name}` })),
          { value: "everyone", label: "Everyone in your organization" },
        ]}
        error={form.errorAt("teamId")}
      />
      <Select
        label="Order"
        value={values.sort}
        onChange={(sort) => form.change({ sort })}
        options={[
          { value: "activity", label: "Most recent message first" },
          { value: "newest", label: "Newest conversation first" },
        ]}
      />
      <fieldset className="grid gap-1">
        <legend className="mb-1 font-medium">Each row also shows</legend>
        <div className="flex flex-wrap gap-x-5">
          {viewColumns.map((column) => (
            <label key={column} className="flex min-h-9 items-center gap-2 pointer-coarse:min-h-11">
              <input
                type="checkbox"
                className="size-4 accent-ink"
                checked={values.columns.includes(column)}
                onChange={({ target }) =>
                  form.change(({ columns }) => ({
                    columns: viewColumns.filter((one) => (one === column ? target.checked : columns.includes(one))),
                  }))
                }
              />
              {columnNames[column]}
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}

function without(filter: ConversationSelection, name: string): ConversationSelection {
  return Object.fromEntries(Object.entries(filter).filter(([one]) => one !== name));
}

function useFilterNames(): FilterNames {
  const agents = useQuery(endpointQuery("listAgents")).data;
  const tags = useQuery(endpointQuery("listTags")).data;
  const teams = useQuery(endpointQuery("listTeams")).data;
  const members = useQuery(endpointQuery("listMembers")).data;
  return {
    agent: agents && new Map(agents.map(({ id, name }) => [id, name])),
    tag: tags && new Map(tags.map(({ id, name }) => [id, name])),
    team: teams && new Map(teams.map(({ id, name }) => [id, name])),
    assignee: members && new Map(members.map(({ id, name, email }) => [id, name || email])),
  };
}
