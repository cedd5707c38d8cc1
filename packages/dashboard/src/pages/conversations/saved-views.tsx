import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Bookmark, X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { type InboxSearch, noFilters } from "./inbox-search.ts";
import { currentFilter, describeMissing, type SavedView, useSavedView } from "./saved-view-text.ts";
import { ViewDialog } from "./view-dialog.tsx";

type Props = {
  search: InboxSearch;
  onChange: (part: { [Name in keyof InboxSearch]?: string | undefined }) => void;
};

const withoutSearch = { ...noFilters, q: undefined, view: undefined };

/** The menu of the saved views: opens one, and saves, changes or deletes the open one. */
export function SavedViews({ search, onChange }: Props) {
  const { agentId = "" } = useParams({ strict: false });
  const { data: views = [] } = useQuery(endpointQuery("listInboxViews"));
  const teams = useQuery(endpointQuery("listTeams")).data ?? [];
  const open = useSavedView(search);
  const [dialog, setDialog] = useState<"new" | "change" | "delete" | null>(null);
  const filter = currentFilter(agentId, search, open);
  const sharedWith = ({ isShared, teamId }: SavedView) =>
    !isShared ? undefined : `Shared with ${teams.find(({ id }) => id === teamId)?.name ?? "everyone"}`;
  const items: Array<MenuItem | null> = views.map((view) => {
    const hint = view.missing.length > 0 ? describeMissing(view.missing) : sharedWith(view);
    return {
      label: view.name,
      ...(hint ? { hint } : {}),
      onSelect: () => onChange({ ...withoutSearch, saved: view.id }),
    };
  });
  if (items.length > 0) items.push(null);
  items.push({
    label: "Save as a view…",
    ...(filter ? {} : { hint: "Dates and a visitor cannot be saved", disabled: true }),
    onSelect: () => setDialog("new"),
  });
  if (open) {
    items.push(
      { label: "Change view…", onSelect: () => setDialog("change") },
      { label: "Delete view…", isDanger: true, onSelect: () => setDialog("delete") },
    );
  }
  const close = () => setDialog(null);
  return (
    <>
      <Menu
        trigger={
          <IconButton label="Saved views">
            <Bookmark size={16} aria-hidden className={open ? "fill-current" : ""} />
          </IconButton>
        }
        items={items}
      />
      {dialog === "new" && filter && (
        <ViewDialog
          view={null}
          filter={filter}
          onClose={close}
          onSaved={(id) => onChange({ ...withoutSearch, saved: id })}
        />
      )}
      {dialog === "change" && open && (
        <ViewDialog
          view={open}
          filter={filter ?? open.filter}
          onClose={close}
          onSaved={() => onChange(withoutSearch)}
        />
      )}
      {dialog === "delete" && open && (
        <DeleteView view={open} onClose={close} onDeleted={() => onChange({ saved: undefined })} />
      )}
    </>
  );
}

/** The name of the open view, and what it names that no longer exists. */
export function OpenSavedView({ search, onChange }: Props) {
  const view = useSavedView(search);
  const { isSuccess } = useQuery({ ...endpointQuery("listInboxViews"), enabled: Boolean(search.saved) });
  if (!search.saved) return null;
  const name = view ? view.name : isSuccess ? "Deleted view" : "View";
  return (
    <div className="grid gap-1">
      <button
        type="button"
        onClick={() => onChange({ saved: undefined })}
        className="inline-flex min-h-7 w-fit max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 text-sm hover:bg-hover pointer-coarse:min-h-11"
      >
        <Bookmark size={14} aria-hidden className="shrink-0" />
        <span className="truncate font-medium">{name}</span>
        <X size={14} aria-hidden className="shrink-0 text-soft" />
        <span className="sr-only">, close this view</span>
      </button>
      {view && view.missing.length > 0 && <p className="text-sm text-soft">{describeMissing(view.missing)}</p>}
    </div>
  );
}

function DeleteView({ view, onClose, onDeleted }: { view: SavedView; onClose: () => void; onDeleted: () => void }) {
  const remove = useEndpointMutation("deleteInboxView", { changes: ["listInboxViews"], done: `${view.name} deleted` });
  const confirm = async () => {
    // Not a callback of `mutate`, which does not run if the refreshed list of views has removed this dialog.
    await remove.mutateAsync({ id: view.id });
    onClose();
    onDeleted();
  };
  return (
    <ConfirmDialog
      title={`Delete ${view.name}?`}
      action="Delete view"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => void confirm().catch(() => {})}
    >
      <p>
        {view.isShared ? "Everyone who has this view loses it. " : ""}
        The conversations that it shows are kept.
      </p>
    </ConfirmDialog>
  );
}
