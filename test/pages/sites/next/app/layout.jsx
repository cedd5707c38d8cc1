import Script from "next/script";

export const metadata = { title: "Harbour" };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script src="http://foyer.invalid/widget.js" data-agent-id="agent_of_this_page" />
      </body>
    </html>
  );
}
