import { searchTextLimits } from "@foyer/contract/rules/limits";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Select, TextField } from "../../components/field.tsx";
import { kindNames } from "./document-labels.ts";
import type { KnowledgeSearch } from "./document-search.ts";

const route = getRouteApi("/shell/agents/$agentId/knowledge");
const TYPING_MS = 250;

const stateOptions = [
  { value: "", label: "All" },
  { value: "ready", label: "Ready" },
  { value: "queued", label: "Waiting" },
  { value: "processing", label: "Processing" },
  { value: "failed", label: "Failed" },
];

const kindOptions = [
  { value: "", label: "All" },
  ...Object.entries(kindNames).map(([value, label]) => ({ value, label })),
];

/** Filters the list. The filter is part of the URL, so going back from a document restores it. */
export function DocumentFilters({ search }: { search: KnowledgeSearch }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.q ?? "");
  const { q = "", state, kind } = search;
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(
      () => void navigate({ search: withoutEmpty({ q: text.trim(), state, kind }), replace: true }),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [text, q, state, kind, navigate]);
  return (
    <search className="flex flex-wrap gap-3">
      <div className="min-w-0 flex-1 basis-full sm:max-w-sm sm:basis-48">
        <TextField
          label="Search titles and addresses"
          type="search"
          maxLength={searchTextLimits.documents}
          value={text}
          onChange={setText}
        />
      </div>
      <div className="flex-1 basis-36 sm:max-w-40">
        <Select
          label="State"
          value={state ?? ""}
          options={stateOptions}
          onChange={(state) => void navigate({ search: withoutEmpty({ q: text.trim(), state, kind }), replace: true })}
        />
      </div>
      <div className="flex-1 basis-48 sm:max-w-52">
        <Select
          label="Kind"
          value={kind ?? ""}
          options={kindOptions}
          onChange={(kind) => void navigate({ search: withoutEmpty({ q: text.trim(), state, kind }), replace: true })}
        />
      </div>
    </search>
  );
}

/** Leaves empty filters out of the URL. Changing a filter returns to the first page. */
function withoutEmpty({
  q,
  state,
  kind,
}: Partial<Record<"q" | "state" | "kind", string | undefined>>): KnowledgeSearch {
  return omitUndefined({ q: q || undefined, state: state || undefined, kind: kind || undefined });
}
