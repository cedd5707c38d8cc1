import { Links, Meta, Outlet, Scripts, ScrollRestoration } from "@remix-run/react";

export const meta = () => [{ title: "Harbour" }];

export default function Root() {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
        <script src="http://foyer.invalid/widget.js" data-agent-id="agent_of_this_page" async />
      </head>
      <body>
        <Outlet />
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}
