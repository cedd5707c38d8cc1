import { getRouteApi } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { Select, TextField } from "../../components/field.tsx";
import { type KnowledgeSearch, PAGE_SIZE } from "./document-search.ts";

const route = getRouteApi("/shell/agents/$agentId/knowledge");
const TYPING_MS = 250;

const stateOptions = [
  { value: "", label: "All" },
  { value: "ready", label: "Ready" },
  { value: "queued", label: "Waiting" },
  { value: "processing", label: "Processing" },
  { value: "failed", label: "Failed" },
];

/** Narrows the list. The filter is part of the address, so that going back from a document finds it again. */
export function DocumentFilters({ search }: { search: KnowledgeSearch }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.q ?? "");
  const { q = "", state } = search;
  useEffect(() => {
    if (text.trim() === q) return;
    const timer = setTimeout(
      () => void navigate({ search: without({ q: text.trim(), state }), replace: true }),
      TYPING_MS,
    );
    return () => clearTimeout(timer);
  }, [text, q, state, navigate]);
  return (
    <search className="flex flex-wrap gap-3">
      <div className="min-w-0 flex-1 basis-48 sm:max-w-sm">
        <TextField label="Search titles and addresses" type="search" maxLength={200} value={text} onChange={setText} />
      </div>
      <div className="w-40">
        <Select
          label="State"
          value={state ?? ""}
          options={stateOptions}
          onChange={(state) => void navigate({ search: without({ q: text.trim(), state }), replace: true })}
        />
      </div>
    </search>
  );
}

/** Leaves empty filters out of the address. A changed filter starts at the first page. */
function without({ q, state }: { q: string; state: string | undefined }): KnowledgeSearch {
  return { ...(q ? { q } : {}), ...(state ? { state } : {}) };
}

export function DocumentPager({ search, total }: { search: KnowledgeSearch; total: number }) {
  const navigate = route.useNavigate();
  const { page = 1, ...filter } = search;
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const go = (target: number) => {
    const to = Math.min(Math.max(1, target), last);
    void navigate({ search: to === 1 ? filter : { ...filter, page: to } });
  };
  if (last === 1 && page === 1) return null;
  const [first, end] = [(page - 1) * PAGE_SIZE + 1, Math.min(page * PAGE_SIZE, total)];
  return (
    <nav aria-label="Pages" className="flex items-center gap-1">
      <p className="me-auto text-soft">
        {first <= end ? `${first}–${end} of ${total.toLocaleString()}` : "Past the end"}
      </p>
      <IconButton label="Previous page" disabled={page === 1} onClick={() => go(page - 1)}>
        <ChevronLeft size={18} aria-hidden />
      </IconButton>
      <IconButton label="Next page" disabled={page >= last} onClick={() => go(page + 1)}>
        <ChevronRight size={18} aria-hidden />
      </IconButton>
    </nav>
  );
}
