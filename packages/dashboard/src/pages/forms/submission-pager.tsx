import { getRouteApi } from "@tanstack/react-router";
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { PAGE_SIZE, readPage, type SubmissionSearch } from "./submission-filter.ts";

const route = getRouteApi("/shell/agents/$agentId/forms");

/** Pagination with a field for the page number, which is part of the URL. */
export function SubmissionPager({ search, total }: { search: SubmissionSearch; total: number }) {
  const navigate = route.useNavigate();
  const page = readPage(search);
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const go = (to: number) => {
    const target = Math.min(Math.max(1, to), last);
    const { page: _, ...filter } = search;
    void navigate({ search: target === 1 ? filter : { ...filter, page: target } });
  };
  if (last === 1 && page === 1) return null;
  const [first, end] = [(page - 1) * PAGE_SIZE + 1, Math.min(page * PAGE_SIZE, total)];
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-soft">
        {first <= end
          ? `${first.toLocaleString()}–${end.toLocaleString()} of ${total.toLocaleString()}`
          : "Past the end"}
      </p>
      <div className="ms-auto flex items-center gap-1">
        <IconButton label="First page" disabled={page === 1} onClick={() => go(1)}>
          <ChevronFirst size={18} aria-hidden />
        </IconButton>
        <IconButton label="Previous page" disabled={page === 1} onClick={() => go(page - 1)}>
          <ChevronLeft size={18} aria-hidden />
        </IconButton>
        <PageNumber page={page} last={last} onGo={go} />
        <IconButton label="Next page" disabled={page >= last} onClick={() => go(page + 1)}>
          <ChevronRight size={18} aria-hidden />
        </IconButton>
        <IconButton label="Last page" disabled={page >= last} onClick={() => go(last)}>
          <ChevronLast size={18} aria-hidden />
        </IconButton>
      </div>
    </nav>
  );
}

function PageNumber({ page, last, onGo }: { page: number; last: number; onGo: (page: number) => void }) {
  const [text, setText] = useState(String(page));
  useEffect(() => setText(String(page)), [page]);
  return (
    <form
      className="flex items-center gap-2 px-1"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = Number(text);
        if (Number.isInteger(wanted)) onGo(wanted);
        else setText(String(page));
      }}
    >
      <input
        aria-label="Page"
        inputMode="numeric"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 w-16 rounded-lg border border-edge bg-raised px-2 text-center pointer-coarse:h-11"
      />
      <span className="whitespace-nowrap text-soft">of {last.toLocaleString()}</span>
    </form>
  );
}
