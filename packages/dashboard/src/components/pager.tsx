import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect } from "react";
import { IconButton } from "./button.tsx";

/**
 * Navigates between the pages of a list. Hidden if there is only one page. Pages are counted from 1. Goes to the last
 * page when the current one no longer exists.
 */
export function Pager({
  page,
  size,
  total,
  onGo,
}: {
  page: number;
  size: number;
  total: number;
  onGo: (page: number) => void;
}) {
  const last = Math.max(1, Math.ceil(total / size));
  const go = (target: number) => onGo(Math.min(Math.max(1, target), last));
  const isPastEnd = page > last;
  // The last entry of the last page was removed.
  useEffect(() => {
    if (isPastEnd) onGo(last);
  }, [isPastEnd, last, onGo]);
  if (last === 1 || isPastEnd) return null;
  const [first, end] = [(page - 1) * size + 1, Math.min(page * size, total)];
  return (
    <nav aria-label="Pages" className="flex items-center gap-1">
      <p className="me-auto text-soft">
        {first}–{end} of {total.toLocaleString()}
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
