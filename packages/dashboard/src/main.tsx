import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createRouter, parseSearchWith, RouterProvider, stringifySearchWith } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { FailedPage, NotFoundPage, PendingPage } from "./components/page-states.tsx";
import { ToastList } from "./components/toast-list.tsx";
import { queryClient } from "./data/queries.ts";
import { serverPath } from "./data/server-address.ts";
import { applyTheme } from "./data/theme.ts";
import { agentRoutes } from "./routes/agent.tsx";
import { authRoutes } from "./routes/auth.tsx";
import { root, shell } from "./routes/root.tsx";
import { settingsRoutes } from "./routes/settings.tsx";
import { shellRoutes } from "./routes/shell.tsx";
import { parseExactly } from "./search-params.ts";

const router = createRouter({
  routeTree: root.addChildren([...authRoutes, shell.addChildren([...shellRoutes, agentRoutes, settingsRoutes])]),
  basepath: serverPath("/dashboard"),
  parseSearch: parseSearchWith(parseExactly),
  stringifySearch: stringifySearchWith(JSON.stringify, parseExactly),
  defaultPreload: "intent",
  // The query client caches data, and the router only starts queries early.
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  defaultPendingComponent: PendingPage,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: NotFoundPage,
  // The inbox manages its own scroll positions: the list keeps its position, and a conversation opens at its start.
  scrollRestoration: ({ location }) => !/^\/agents\/[^/]+\/conversations/.test(location.pathname),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

applyTheme();
// Dialogs lock scrolling with a style element, which the Content Security Policy allows only with this nonce.
setNonce(document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? "");

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <ToastList />
    </QueryClientProvider>
  </StrictMode>,
);
