import { FoyerError } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useLocation } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { NavTabs } from "../../components/nav-tabs.tsx";
import { Page } from "../../components/page.tsx";
import { ErrorState } from "../../components/states.tsx";
import { ask } from "../../data/queries.ts";
import { mayOpen, settingsPages } from "../../shell/destinations.tsx";

/** The settings' pages that the viewer's role may use, above the one that is open. */
export function SettingsLayout() {
  const { data: session } = useSuspenseQuery(ask("getSession"));
  const pathname = useLocation({ select: (location) => location.pathname });
  const tabs = settingsPages.filter((page) => mayOpen(session.role, page));
  const forbidden = settingsPages.find((page) => pathname.endsWith(page.to) && !mayOpen(session.role, page));
  return (
    <>
      <div className="mx-auto w-full max-w-4xl px-4 pt-4 sm:px-8">
        <NavTabs label="Settings" tabs={tabs} />
      </div>
      <div className="-mt-6">{forbidden ? <NotOpen {...forbidden} /> : <Outlet />}</div>
    </>
  );
}

/** Where an address leads that somebody with more rights has passed on. */
function NotOpen({ name, least }: { name: string; least: string }) {
  const who = least === "owner" ? "owners" : "admins and owners";
  return (
    <Page title={name}>
      <div className="grid justify-items-start gap-4">
        <ErrorState error={new FoyerError("FORBIDDEN", `This page is for ${who}. Ask one of them.`)} />
        <ButtonLink to="/settings/members" className="ms-6">
          See who they are
        </ButtonLink>
      </div>
    </Page>
  );
}
