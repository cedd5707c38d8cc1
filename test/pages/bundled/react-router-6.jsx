import { createRoot } from "react-dom/client";
import { createBrowserRouter, Link, Outlet, RouterProvider, ScrollRestoration } from "react-router-6";
import { Bikes, Home } from "./contents.jsx";

const Layout = () => (
  <>
    <Outlet />
    <ScrollRestoration />
  </>
);
const router = createBrowserRouter([
  {
    element: <Layout />,
    children: [
      { path: "/", element: <Home Link={Link} /> },
      { path: "/bikes", loader: () => fetch("/data.json").then(({ status }) => status), element: <Bikes Link={Link} /> },
    ],
  },
]);
createRoot(document.getElementById("app")).render(<RouterProvider router={router} />);
