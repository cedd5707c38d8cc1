import { Link } from "@tanstack/react-router";
import { type Part, partNames } from "./tool-parts.ts";

/** The parts of a tool, each with its own URL. Parts with errors are marked. */
export function PartTabs({ parts, current, wrong }: { parts: Part[]; current: Part; wrong: Part[] }) {
  return (
    <nav
      aria-label="Parts of the tool"
      className="-mx-4 mb-6 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
    >
      <ul className="flex gap-5">
        {parts.map((part) => (
          <li key={part}>
            <Link
              to="."
              search={(search: { part?: string }) =>
                ({ ...search, part: part === "about" ? undefined : part }) as never
              }
              resetScroll={false}
              activeProps={{}}
              aria-current={part === current ? "page" : undefined}
              className={`inline-flex h-10 items-center gap-2 border-b-2 whitespace-nowrap ${
                part === current ? "border-ink font-medium" : "border-transparent text-soft hover:text-ink"
              }`}
            >
              {partNames[part]}
              {wrong.includes(part) && (
                <span className="size-2 rounded-full bg-wrong">
                  <span className="sr-only">has errors</span>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
