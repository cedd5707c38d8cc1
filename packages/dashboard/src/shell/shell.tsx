import * as Dialog from "@radix-ui/react-dialog";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { IconButton } from "../components/button.tsx";
import { Logo } from "../components/logo.tsx";
import { Page } from "../components/page.tsx";
import { EmptyState } from "../components/states.tsx";
import { useInboxLive } from "../data/inbox-live.ts";
import { keepPush } from "../data/push-device.ts";
import { endpointQuery } from "../data/queries.ts";
import { followSignIns, holdSession } from "../data/session-guard.ts";
import { followSignOut } from "../data/sign-out.ts";
import { useInboxStream } from "../data/use-inbox-stream.ts";
import { ProviderFailures } from "./provider-failures.tsx";
import { SessionDialog } from "./session-dialog.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useCountInTitle } from "./use-count-in-title.ts";

const CommandMenu = lazy(() => import("./command-menu.tsx").then((module) => ({ default: module.CommandMenu })));

/** The layout around every page: the navigation at the side, or behind a button on phones, and the ⌘K menu. */
export function Shell() {
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isCommandOpen, setCommandOpen] = useState(false);
  const session = useSuspenseQuery(endpointQuery("getSession")).data;
  const { user, organization, role } = session;
  useInboxStream(organization?.id ?? null);
  useCountInTitle(useInboxLive(({ counts }) => counts?.waiting ?? 0));
  useEffect(followSignOut, []);
  useEffect(followSignIns, []);
  useEffect(() => holdSession(session), [session]);
  useEffect(() => {
    // The notifications page shows whether notifications are on.
    keepPush(user.id).catch(() => {});
  }, [user.id]);
  const pathname = useRouterState({ select: (state) => state.location.pathname });

  // biome-ignore lint/correctness/useExhaustiveDependencies: opening another page closes the drawer
  useEffect(() => setDrawerOpen(false), [pathname]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      if (event.repeat) return;
      // An open dialog takes precedence, because it may show a key that is shown only once.
      const hasDialog = document.querySelector("[role=dialog]") !== null;
      setCommandOpen((isOpen) => !isOpen && !hasDialog);
    };
    window.addEventListener("keydown", onKey);
    // Browsers click a button again and again while Enter is held.
    window.addEventListener("keydown", ignoreHeldEnter, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("keydown", ignoreHeldEnter, { capture: true });
    };
  }, []);

  return (
    <div className="min-h-dvh md:grid md:grid-cols-[232px_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-ink px-4 py-2 text-paper focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex h-14 items-center gap-2 border-b border-line bg-paper px-3 md:hidden">
        <Dialog.Root open={isDrawerOpen} onOpenChange={setDrawerOpen}>
          <Dialog.Trigger asChild>
            <IconButton label="Navigation">
              <MenuIcon size={20} aria-hidden />
            </IconButton>
          </Dialog.Trigger>
          <Dialog.Portal>
            <Dialog.Overlay className="fixed inset-0 z-40 bg-[#1c191766]" />
            <Dialog.Content
              aria-describedby={undefined}
              className="appear fixed inset-y-0 start-0 z-40 w-72 border-e border-line bg-paper"
            >
              <Dialog.Title className="sr-only">Navigation</Dialog.Title>
              <Sidebar onSearch={() => setCommandOpen(true)} />
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
        <span className="flex h-full flex-1 items-start gap-2 font-semibold">
          <Logo isHanging /> <span className="pt-4.5">Foyer</span>
        </span>
        <IconButton label="Search" onClick={() => setCommandOpen(true)}>
          <Search size={18} aria-hidden />
        </IconButton>
      </header>
      <div className="sticky top-0 hidden h-dvh border-e border-line md:block">
        <Sidebar onSearch={() => setCommandOpen(true)} />
      </div>
      <main id="main" tabIndex={-1} className="min-w-0 outline-none">
        {organization && <ProviderFailures role={role} />}
        {organization ? <Outlet /> : <NoOrganization />}
      </main>
      <SessionDialog user={user} />
      {isCommandOpen && (
        <Suspense>
          <CommandMenu onClose={() => setCommandOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Shown to users who belong to no organization, because they have only confirmed their address or were removed. */
function NoOrganization() {
  return (
    <Page title="No organization">
      <EmptyState title="You don't belong to an organization on this server">
        Open the invitation you received, or ask a member to invite you.
      </EmptyState>
    </Page>
  );
}

/** Except where Enter starts a new line. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const { target } = event;
  if (!event.repeat || event.key !== "Enter" || !(target instanceof Element)) return;
  if (target.closest("textarea, [contenteditable]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}
