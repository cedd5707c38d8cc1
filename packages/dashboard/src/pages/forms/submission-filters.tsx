import type { Tool } from "@foyer/contract";
import { getRouteApi } from "@tanstack/react-router";
import { Button } from "../../components/button.tsx";
import { Select, TextField } from "../../components/field.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { isFiltered, type SubmissionSearch } from "./submission-filter.ts";
import { statuses, statusLabels } from "./submission-labels.ts";

const route = getRouteApi("/shell/agents/$agentId/forms");

/** The filters of the list. They are part of the URL, so a filtered list can be shared. */
export function SubmissionFilters({ search, forms }: { search: SubmissionSearch; forms: readonly Tool[] }) {
  const navigate = route.useNavigate();
  const { page: _, ...filter } = search;
  const change = (part: Record<string, string>) => {
    const next = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== "");
    void navigate({ search: Object.fromEntries(next), replace: true });
  };
  return (
    <search className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[repeat(4,minmax(0,200px))_auto]">
      <Select
        label="Status"
        value={search.status ?? ""}
        onChange={(status) => change({ status })}
        options={[
          { value: "", label: "Any" },
          ...statuses.map((status) => ({ value: status as string, label: statusLabels[status].word })),
        ]}
      />
      <Select
        label="Form"
        value={search.toolId ?? ""}
        onChange={(toolId) => change({ toolId })}
        options={formOptions(forms, search.toolId)}
      />
      <TextField label="From" type="date" value={search.from ?? ""} onChange={(from) => change({ from })} />
      <TextField label="To" type="date" value={search.to ?? ""} onChange={(to) => change({ to })} />
      {isFiltered(search) && (
        <Button
          variant="plain"
          className="justify-self-start"
          onClick={() => change({ status: "", toolId: "", from: "", to: "" })}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

function formOptions(forms: readonly Tool[], chosen: string | undefined) {
  const isGone = chosen !== undefined && chosen !== "" && !forms.some(({ id }) => id === chosen);
  return [
    { value: "", label: "All forms" },
    ...forms.map(({ id, name }) => ({ value: id, label: toolTitle(name) })),
    ...(isGone ? [{ value: chosen, label: "Deleted form" }] : []),
  ];
}
