import { Link, type LinkProps } from "@tanstack/react-router";

/** Parts of one page that have an address each. */
export function NavTabs({ label, tabs }: { label: string; tabs: ReadonlyArray<LinkProps & { name: string }> }) {
  return (
    <nav aria-label={label} className="-mx-4 mb-6 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0">
      <ul className="flex gap-5">
        {tabs.map(({ name, ...link }) => (
          <li key={name}>
            <Link
              {...link}
              activeOptions={{ exact: true, includeSearch: false }}
              className="inline-flex h-10 items-center border-b-2 whitespace-nowrap"
              activeProps={{ className: "border-ink font-medium" }}
              inactiveProps={{ className: "border-transparent text-soft hover:text-ink" }}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
