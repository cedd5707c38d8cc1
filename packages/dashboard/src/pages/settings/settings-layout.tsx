import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { NavTabs } from "../../components/nav-tabs.tsx";
import { ask } from "../../data/queries.ts";
import { settingsPages } from "../../shell/destinations.tsx";

const order = ["member", "admin", "owner"];

/** The settings' pages that the viewer's role may use, above the one that is open. */
export function SettingsLayout() {
  const { data: session } = useSuspenseQuery(ask("getSession"));
  const rank = order.indexOf(session.role ?? "member");
  const tabs = settingsPages.filter(({ least }) => rank >= order.indexOf(least));
  return (
    <>
      <div className="mx-auto w-full max-w-4xl px-4 pt-4 sm:px-8">
        <NavTabs label="Settings" tabs={tabs} />
      </div>
      <div className="-mt-6">
        <Outlet />
      </div>
    </>
  );
}
