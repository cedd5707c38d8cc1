import { createRootRoute, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { FailedShell, NotFoundPage } from "../components/page-states.tsx";
import { endpointQuery, isSignedOut, queryClient } from "../data/queries.ts";
import { serverPath } from "../data/server-address.ts";
import { Shell } from "../shell/shell.tsx";

// The files in this folder define every page of the dashboard and its URL. A page's code is loaded when it is opened,
// or when the pointer is on a link.

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

/** The parent of all pages that need a session, which is loaded before they render. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  errorComponent: FailedShell,
  loader: async ({ location }) => {
    const session = await requireSession(location.href);
    const agents = session.organization ? await queryClient.ensureQueryData(endpointQuery("listAgents")) : [];
    return { session, agents };
  },
});

/** Loads the session. Without one, redirects to the sign-in page, and back to `href` afterwards. */
export async function requireSession(href: string, error?: string) {
  try {
    return await queryClient.ensureQueryData(endpointQuery("getSession"));
  } catch (cause) {
    if (!isSignedOut(cause)) throw cause;
    throw redirect({ to: "/sign-in", search: { next: serverPath(`/dashboard${href}`), ...(error ? { error } : {}) } });
  }
}
