import { createRoot } from "react-dom/client";
import { createBrowserRouter, Link, Outlet, ScrollRestoration } from "react-router-7";
import { RouterProvider } from "react-router-7/dom";
import { Bikes, Home } from "./contents.jsx";

/** Renders both routes with React Router 7, and beside them what `Dialog` renders. */
export function renderRoutes(Dialog) {
  const Layout = () => (
    <>
      <Outlet />
      <ScrollRestoration />
      <Dialog />
    </>
  );
  const router = createBrowserRouter([
    {
      element: <Layout />,
      HydrateFallback: () => null,
      children: [
        { path: "/", element: <Home Link={Link} /> },
        { path: "/bikes", loader: () => fetch("/data.json").then(({ status }) => status), element: <Bikes Link={Link} /> },
      ],
    },
  ]);
  createRoot(document.getElementById("app")).render(<RouterProvider router={router} />);
}
