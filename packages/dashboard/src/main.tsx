import "./styles.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ToastList } from "./components/toast-list.tsx";
import { queryClient } from "./data/queries.ts";
import { applyTheme } from "./data/theme.ts";
import { router } from "./routes.tsx";

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
