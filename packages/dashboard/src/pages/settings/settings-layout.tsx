import { FoyerError } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { NavTabs } from "../../components/nav-tabs.tsx";
import { AreaFrame, Page } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { canOpen, settingsPages } from "../../shell/destinations.tsx";

/** The settings, with the pages that the user's role may open: a list in groups, or tabs on small screens. */
export function SettingsLayout() {
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const pathname = useLocation({ select: (location) => location.pathname });
  const tabs = settingsPages.filter((page) => canOpen(session.role, page));
  // A page within another, such as a webhook, belongs to the same tab and needs the same role.
  const forbidden = settingsPages.find((page) => isWithin(pathname, page.to) && !canOpen(session.role, page));
  return (
    <AreaFrame
      name="Settings"
      tabs={<NavTabs label="Settings" tabs={tabs.map(toTab)} />}
      side={<SideList pages={tabs} />}
    >
      {forbidden ? <NoAccess {...forbidden} /> : <Outlet />}
    </AreaFrame>
  );
}

function SideList({ pages }: { pages: ReadonlyArray<(typeof settingsPages)[number]> }) {
  const groups = Map.groupBy(pages, ({ group }) => group);
  return (
    <nav aria-label="Settings" className="grid gap-5 lg:sticky lg:top-8">
      {[...groups].map(([group, members]) => (
        <div key={group}>
          <p id={`settings-${group}`} className="mb-1 px-2 text-xs text-soft">
            {group}
          </p>
          <ul aria-labelledby={`settings-${group}`} className="grid">
            {members.map((page) => (
              <li key={page.to}>
                <Link
                  {...toTab(page)}
                  className="flex min-h-8 items-center rounded-lg px-2 font-medium hover:bg-hover"
                  activeProps={{ className: "bg-selected" }}
                  inactiveProps={{ className: "text-soft" }}
                >
                  {page.name}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function isWithin(pathname: string, page: string): boolean {
  return `${pathname}/`.includes(`${page}/`);
}

function toTab({ name, to }: (typeof settingsPages)[number]) {
  return { name, to, activeOptions: { exact: false, includeSearch: false } };
}

/** Shown for a page that needs a higher role, for example through a shared link. */
function NoAccess({ name, minimumRole }: { name: string; minimumRole: string }) {
  const who = minimumRole === "owner" ? "owners" : "admins and owners";
  return (
    <Page title={name}>
      <div className="grid justify-items-start gap-4">
        <ErrorState error={new FoyerError("FORBIDDEN", `Only ${who} can open this page. Ask one of them for help.`)} />
        <ButtonLink to="/settings/members" className="ms-6">
          View members
        </ButtonLink>
      </div>
    </Page>
  );
}
