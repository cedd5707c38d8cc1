import { Link, type LinkProps, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

/** The tabs of a page. Each tab has its own URL. */
export function NavTabs({ label, tabs }: { label: string; tabs: ReadonlyArray<LinkProps & { name: string }> }) {
  const nav = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: (state) => state.resolvedLocation?.pathname });

  // On a phone, the open tab may be scrolled out of view. Its position also changes when the web font loads, a tab is
  // added or the phone is turned.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page or another tab moves the open one
  useEffect(() => {
    const showOpenTab = () => {
      const open = nav.current?.querySelector<HTMLElement>("[aria-current=page]");
      if (nav.current && open)
        nav.current.scrollLeft = open.offsetLeft - (nav.current.clientWidth - open.offsetWidth) / 2;
    };
    const observer = new ResizeObserver(showOpenTab);
    if (nav.current) observer.observe(nav.current);
    for (const tab of nav.current?.querySelectorAll("li") ?? []) observer.observe(tab);
    return () => observer.disconnect();
  }, [pathname, tabs.length]);

  return (
    <nav
      ref={nav}
      aria-label={label}
      className="relative -mx-4 mb-6 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
    >
      <ul className="flex gap-5">
        {tabs.map(({ name, ...link }) => (
          <li key={name}>
            <Link
              activeOptions={{ exact: true, includeSearch: false }}
              {...link}
              className="inline-flex h-10 items-center border-b-2 font-medium whitespace-nowrap"
              activeProps={{ className: "border-ink" }}
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
